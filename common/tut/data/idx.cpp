#include "tut/data/idx.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "tut/data/byte_reader.hpp"

namespace tut::data {

namespace {

using Magic = std::array<std::uint8_t, 4>;

constexpr Magic kImagesMagic{0, 0, 8, 3};
constexpr Magic kLabelsMagic{0, 0, 8, 1};
constexpr std::uint32_t kMaxSide = 1024;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr int kDigits = 10;
constexpr int kMnistSide = 28;

std::string kind_of(const Magic& magic) {
  return magic == kImagesMagic ? "an IDX image file" : "an IDX label file";
}

std::string quoted(const Magic& magic) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "(magic";
  for (const std::uint8_t byte : magic) {
    text += {' ', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text + ")";
}

void read_header(ByteReader& file, std::span<std::uint8_t> out, const Magic& expected) {
  const std::size_t got = file.read(out);
  if (got == out.size()) return;
  throw DataError(file.name() + ": expected " + kind_of(expected) +
                  ", found a file that ends within its header");
}

void check_magic(ByteReader& file, const Magic& expected) {
  Magic found;
  read_header(file, found, expected);
  if (found == expected) return;
  const std::string start =
      file.name() + ": expected " + kind_of(expected) + " " + quoted(expected) + ", found ";
  if (found == kImagesMagic || found == kLabelsMagic) {
    throw DataError(start + kind_of(found) + " " + quoted(found) +
                    ": are images and labels swapped?");
  }
  throw DataError(start + "something else " + quoted(found));
}

std::uint32_t read_size(ByteReader& file, const Magic& expected) {
  std::array<std::uint8_t, 4> bytes;
  read_header(file, bytes, expected);
  std::uint32_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

// Reads exactly `expected` bytes to the end of the file, in chunks: a header that lies costs no
// memory.
std::vector<std::uint8_t> read_payload(ByteReader& file, std::uint64_t expected,
                                       const std::string& what) {
  if (expected > kMaxBytes) {
    throw DataError(file.name() + ": expected at most " + std::to_string(kMaxBytes) +
                    " bytes, found a header that announces " + what);
  }
  std::vector<std::uint8_t> bytes;
  while (bytes.size() < expected) {
    const std::size_t start = bytes.size();
    const std::size_t step = std::min<std::uint64_t>(expected - start, kChunkBytes);
    bytes.resize(start + step);
    const std::size_t got = file.read(std::span(bytes).subspan(start));
    if (got == step) continue;
    throw DataError(file.name() + ": expected " + what + ", found data that ends after " +
                    std::to_string(start + got) + " of " + std::to_string(expected) + " bytes");
  }
  std::uint8_t extra;
  if (file.read({&extra, 1}) != 0) {
    throw DataError(file.name() + ": expected " + what + " and nothing after them, found more");
  }
  return bytes;
}

std::filesystem::path find_file(const std::filesystem::path& folder, const std::string& name) {
  for (const char* suffix : {"", ".gz"}) {
    std::filesystem::path path = folder / (name + suffix);
    if (std::filesystem::exists(path)) return path;
  }
  throw DataError(folder.string() + ": expected " + name + " or " + name + ".gz, found neither");
}

Dataset load_mnist_part(const std::filesystem::path& folder, const std::string& part) {
  const std::filesystem::path images = find_file(folder, part + "-images-idx3-ubyte");
  const std::filesystem::path labels = find_file(folder, part + "-labels-idx1-ubyte");
  Dataset set = load_idx(images, labels);
  if (set.rows != kMnistSide || set.cols != kMnistSide) {
    throw DataError(images.string() + ": expected images of 28 x 28 pixels, found " +
                    std::to_string(set.rows) + " x " + std::to_string(set.cols));
  }
  return set;
}

}  // namespace

IdxImages load_idx_images(const std::filesystem::path& path) {
  ByteReader file(path);
  check_magic(file, kImagesMagic);
  const std::uint32_t count = read_size(file, kImagesMagic);
  const std::uint32_t rows = read_size(file, kImagesMagic);
  const std::uint32_t cols = read_size(file, kImagesMagic);
  const std::string what = std::to_string(count) + " images of " + std::to_string(rows) + " x " +
                           std::to_string(cols) + " pixels";
  if (rows == 0 || rows > kMaxSide || cols == 0 || cols > kMaxSide || count == 0) {
    throw DataError(file.name() + ": expected at least one image and sides of 1 to " +
                    std::to_string(kMaxSide) + " pixels, found a header that announces " + what);
  }
  IdxImages images;
  images.pixels = read_payload(file, std::uint64_t{count} * rows * cols, what);
  images.count = static_cast<int>(count);
  images.rows = static_cast<int>(rows);
  images.cols = static_cast<int>(cols);
  return images;
}

std::vector<std::uint8_t> load_idx_labels(const std::filesystem::path& path) {
  ByteReader file(path);
  check_magic(file, kLabelsMagic);
  const std::uint32_t count = read_size(file, kLabelsMagic);
  if (count == 0) throw DataError(file.name() + ": expected at least one label, found none");
  std::vector<std::uint8_t> labels = read_payload(file, count, std::to_string(count) + " labels");
  const auto bad = std::find_if(labels.begin(), labels.end(), [](int l) { return l >= kDigits; });
  if (bad != labels.end()) {
    throw DataError(file.name() + ": expected labels from 0 to 9, found " + std::to_string(*bad) +
                    " as label number " + std::to_string(bad - labels.begin()));
  }
  return labels;
}

Dataset load_idx(const std::filesystem::path& images_path,
                 const std::filesystem::path& labels_path) {
  IdxImages images = load_idx_images(images_path);
  std::vector<std::uint8_t> labels = load_idx_labels(labels_path);
  if (labels.size() != static_cast<std::size_t>(images.count)) {
    throw DataError(labels_path.string() + ": expected " + std::to_string(images.count) +
                    " labels, one for each image of " + images_path.string() + ", found " +
                    std::to_string(labels.size()));
  }
  return {std::move(images.pixels), std::move(labels), images.rows, images.cols, kDigits};
}

Split load_mnist(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw DataError(folder.string() + ": expected a folder with the four files of MNIST, found " +
                    (std::filesystem::exists(folder) ? "a file" : "nothing"));
  }
  return {load_mnist_part(folder, "train"), load_mnist_part(folder, "t10k")};
}

}  // namespace tut::data
