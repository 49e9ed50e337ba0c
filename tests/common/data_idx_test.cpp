#include <doctest/doctest.h>
#include <sys/resource.h>

#include <functional>
#include <string>

#include "data_files.hpp"
#include "tut/data/idx.hpp"

namespace {

using namespace tut::test;
using tut::data::DataError;
using tut::data::load_idx_images;
using tut::data::load_idx_labels;

// The message of the DataError that `work` throws; checks that it is one line that starts with
// `file`.
std::string error_of(const std::filesystem::path& file, const std::function<void()>& work) {
  try {
    work();
  } catch (const DataError& error) {
    std::string message = error.what();
    CHECK(message.starts_with(file.string() + ": "));
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
  FAIL_CHECK("no DataError for " << file.string());
  return {};
}

std::string image_error(const std::filesystem::path& file) {
  return error_of(file, [&] { load_idx_images(file); });
}

std::string label_error(const std::filesystem::path& file) {
  return error_of(file, [&] { load_idx_labels(file); });
}

bool contains(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE(text);
  return found;
}

}  // namespace

TEST_CASE("data: images and labels are read, plain and gzip, whatever the name") {
  const TemporaryFolder folder;
  const Bytes images = idx_images(5, 3, 4), labels = idx_labels(5);
  for (const bool packed : {false, true}) {
    CAPTURE(packed);
    const auto image_file = folder.write("a", packed ? gzip(images) : images);
    const auto label_file = folder.write("b.gz", packed ? gzip(labels) : labels);
    const auto read = load_idx_images(image_file);
    CHECK(read.count == 5);
    CHECK(read.rows == 3);
    CHECK(read.cols == 4);
    CHECK(read.pixels == Bytes(images.begin() + 16, images.end()));
    CHECK(load_idx_labels(label_file) == Bytes(labels.begin() + 8, labels.end()));
    const auto set = tut::data::load_idx(image_file, label_file);
    CHECK(set.size() == 5);
    CHECK(set.classes == 10);
    CHECK(set.image(4)[11] == images.back());
  }
}

TEST_CASE("data: a gzip file of several members is one file") {
  const TemporaryFolder folder;
  const Bytes images = idx_images(5, 3, 4);
  Bytes packed = gzip(Bytes(images.begin(), images.begin() + 20));
  const Bytes rest = gzip(Bytes(images.begin() + 20, images.end()));
  packed.insert(packed.end(), rest.begin(), rest.end());
  CHECK(load_idx_images(folder.write("a.gz", packed)).pixels.back() == images.back());
}

TEST_CASE("data: a file cut anywhere is refused") {
  const TemporaryFolder folder;
  for (const Bytes& whole : {idx_images(3, 2, 2), gzip(idx_images(3, 2, 2))}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      image_error(folder.write("cut", Bytes(whole.begin(), whole.begin() + size)));
    }
  }
  for (const Bytes& whole : {idx_labels(6), gzip(idx_labels(6))}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      label_error(folder.write("cut", Bytes(whole.begin(), whole.begin() + size)));
    }
  }
}

TEST_CASE("data: any bit of a header turned over is refused") {
  const TemporaryFolder folder;
  for (std::size_t bit = 0; bit < 16 * 8; ++bit) {
    CAPTURE(bit);
    Bytes images = idx_images(3, 2, 2);
    images[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    image_error(folder.write("flip", images));
    if (bit >= 8 * 8) continue;
    Bytes labels = idx_labels(6);
    labels[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    label_error(folder.write("flip", labels));
  }
}

TEST_CASE("data: a damaged gzip file is refused or gives the same images") {
  const TemporaryFolder folder;
  const Bytes whole = gzip(idx_images(3, 2, 2));
  const Bytes pixels = load_idx_images(folder.write("whole", whole)).pixels;
  int refused = 0;
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    CAPTURE(bit);
    Bytes damaged = whole;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    const auto file = folder.write("damaged", damaged);
    Bytes got;
    try {
      got = load_idx_images(file).pixels;
    } catch (const DataError&) {
      image_error(file);
      ++refused;
      continue;
    }
    CHECK(got == pixels);
  }
  // What may change: the date and the like in gzip's ten bytes of header, and some padding bits.
  CHECK(refused > static_cast<int>(whole.size() * 8) - 90);
}

TEST_CASE("data: bytes after the end are refused") {
  const TemporaryFolder folder;
  Bytes images = idx_images(3, 2, 2);
  Bytes packed = gzip(images);
  images.push_back(0);
  CHECK(contains(image_error(folder.write("a", images)), "nothing after them, found more"));
  CHECK(contains(image_error(folder.write("a.gz", gzip(images))), "found more"));
  packed.push_back(0);
  CHECK(contains(image_error(folder.write("b.gz", packed)), "expected the end of the file"));
}

TEST_CASE("data: images and labels that are swapped are told so") {
  const TemporaryFolder folder;
  const auto images = folder.write("images", gzip(idx_images(3, 2, 2)));
  const auto labels = folder.write("labels", idx_labels(3));
  CHECK(contains(image_error(labels),
                 "expected an IDX image file (magic 00 00 08 03), found an IDX label file "
                 "(magic 00 00 08 01): are images and labels swapped?"));
  CHECK(contains(label_error(images), "found an IDX image file (magic 00 00 08 03)"));
}

TEST_CASE("data: other files, labels out of range and different counts are named") {
  const TemporaryFolder folder;
  const auto text = folder.write("notes.txt", {'h', 'e', 'l', 'l', 'o', '\n'});
  CHECK(contains(image_error(text), "found something else (magic 68 65 6c 6c)"));
  CHECK(contains(image_error(folder.write("empty", {})), "ends within its header"));
  CHECK(contains(image_error(folder.path()), "expected a file, found a folder"));
  CHECK(contains(image_error(folder.path() / "absent"), "No such file"));

  Bytes labels = idx_labels(6);
  labels[8 + 4] = 10;
  CHECK(contains(label_error(folder.write("labels", labels)),
                 "expected labels from 0 to 9, found 10 as label number 4"));

  const auto images = folder.write("images", idx_images(3, 2, 2));
  const auto four = folder.write("four", idx_labels(4));
  CHECK(contains(error_of(four, [&] { tut::data::load_idx(images, four); }),
                 "expected 3 labels, one for each image of " + images.string() + ", found 4"));
}

TEST_CASE("data: a header that lies about its size costs no memory") {
  const TemporaryFolder folder;
  const auto peak_kib = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  struct Announced {
    std::uint32_t count, side;
  };
  for (const Announced lie : {Announced{1000, 1024}, {0xffffffff, 1024}, {1, 0x80000000}}) {
    Bytes images{0, 0, 8, 3};
    for (const std::uint32_t size : {lie.count, lie.side, lie.side}) append_size(images, size);
    images.resize(images.size() + 100);
    for (const bool packed : {false, true}) {
      const auto file = folder.write("liar", packed ? gzip(images) : images);
      const auto before = peak_kib();
      image_error(file);
      CHECK(peak_kib() - before < 100 * 1024);
    }
  }
}

TEST_CASE("data: MNIST's folder is found, plain or packed, and checked") {
  const TemporaryFolder folder;
  const auto load = [&] { return tut::data::load_mnist(folder.path()); };
  CHECK(contains(error_of(folder.path(), load),
                 "expected train-images-idx3-ubyte or train-images-idx3-ubyte.gz, found neither"));
  folder.write("train-images-idx3-ubyte", idx_images(4, 28, 28));
  folder.write("train-labels-idx1-ubyte.gz", gzip(idx_labels(4)));
  folder.write("t10k-images-idx3-ubyte.gz", gzip(idx_images(2, 28, 28)));
  folder.write("t10k-labels-idx1-ubyte", idx_labels(2));
  CHECK(load().train.size() == 4);
  CHECK(load().test.size() == 2);

  const auto wide = folder.write("t10k-images-idx3-ubyte.gz", gzip(idx_images(2, 28, 29)));
  CHECK(contains(error_of(wide, load), "expected images of 28 x 28 pixels, found 28 x 29"));
  const auto absent = folder.path() / "absent";
  CHECK(contains(error_of(absent, [&] { tut::data::load_mnist(absent); }), "found nothing"));
}

TEST_CASE("data: the real MNIST") {
  const auto folder = real_mnist();
  if (!folder) {
    MESSAGE("skipped: the real MNIST is not here; TUT_MNIST_DIR can name its folder");
    return;
  }
  const tut::data::Split sets = tut::data::load_mnist(*folder);
  CHECK(sets.train.size() == 60000);
  CHECK(sets.test.size() == 10000);
  CHECK(Bytes(sets.train.labels.begin(), sets.train.labels.begin() + 5) == Bytes{5, 0, 4, 1, 9});
  // Its often quoted mean, 0.1307.
  double sum = 0;
  for (const std::uint8_t pixel : sets.train.images) sum += pixel;
  const double mean = sum / 255 / static_cast<double>(sets.train.images.size());
  CHECK(mean == doctest::Approx(0.1307).epsilon(0.0005));
}
