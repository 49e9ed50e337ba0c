#include "16_cnn_trainer/trainer/checkpoint/checkpoint.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "../13_convolution/guarded_device.hpp"
#include "../common/data_files.hpp"
#include "16_cnn_trainer/trainer/checkpoint/atomic_file.hpp"
#include "full_disk.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;
using test::Bytes;
using test::TemporaryFolder;
namespace fs = std::filesystem;

Checkpoint some_checkpoint(std::size_t values = 3) {
  Checkpoint checkpoint;
  checkpoint.network = "input 1 2 2\ndense 10\n";
  checkpoint.options = {{"lr", "0.02"}, {"data", "a=b \xc3\xa9"}, {"empty", ""}};
  checkpoint.epoch = 2;
  checkpoint.step = 71;
  checkpoint.images = 123456789012;
  checkpoint.optimiser_steps = 70;
  checkpoint.skipped = 1;
  checkpoint.scale = 1024;
  checkpoint.good_steps = 20;
  checkpoint.arrays = {{"parameters", test::random_values(values, 1)},
                       {"first_moment", {-0.0f, std::bit_cast<float>(0x7fc12345u), 1e-45f}},
                       {"state", {}}};
  return checkpoint;
}

void check_equal(const Checkpoint& a, const Checkpoint& b) {
  CHECK(a.network == b.network);
  CHECK(a.options == b.options);
  CHECK(a.epoch == b.epoch);
  CHECK(a.step == b.step);
  CHECK(a.images == b.images);
  CHECK(a.optimiser_steps == b.optimiser_steps);
  CHECK(a.skipped == b.skipped);
  CHECK(a.scale == b.scale);
  CHECK(a.good_steps == b.good_steps);
  REQUIRE(a.arrays.size() == b.arrays.size());
  for (std::size_t i = 0; i < a.arrays.size(); ++i) {
    CHECK(a.arrays[i].name == b.arrays[i].name);
    CHECK(test::same_bits(a.arrays[i].values, b.arrays[i].values));
  }
}

Bytes bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

// The bytes of a checkpoint, as the header describes them.
class Raw {
 public:
  template <class T>
  Raw& add(T value) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(value));
    return *this;
  }
  Raw& add_bytes(const std::string& text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    return *this;
  }
  Raw& add_text(const std::string& text) {
    return add(static_cast<std::uint32_t>(text.size())).add_bytes(text);
  }
  // With its size and checksum.
  Bytes finished() const {
    Bytes out = bytes_;
    const std::uint64_t size = out.size() + 4;
    std::memcpy(&out[12], &size, sizeof(size));
    const auto crc = static_cast<std::uint32_t>(crc32_z(0, out.data(), out.size()));
    const auto* first = reinterpret_cast<const std::uint8_t*>(&crc);
    out.insert(out.end(), first, first + sizeof(crc));
    return out;
  }

 private:
  Bytes bytes_;
};

Raw raw_start(const std::string& network, const std::string& options, float scale = 1) {
  Raw raw;
  raw.add_bytes("TUT-CKPT").add(std::uint32_t{1}).add(std::uint64_t{0});
  raw.add(fingerprint(network)).add_text(network).add_text(options);
  for (std::uint64_t i = 1; i <= 5; ++i) raw.add(i);
  return raw.add(scale).add(std::uint64_t{6});
}

std::string refusal(const Bytes& bytes) {
  try {
    parse_checkpoint(bytes, "run.ckpt");
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("checkpoint: what is written is read again, to the bit") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run.ckpt";
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{100'000}}) {
    const Checkpoint checkpoint = some_checkpoint(size);
    write_checkpoint(path, checkpoint);
    check_equal(read_checkpoint(path), checkpoint);
  }
  CHECK(files_in(folder.path()) == 1);
  const Checkpoint got = read_checkpoint(path);
  REQUIRE(got.option("data"));
  CHECK(*got.option("data") == "a=b \xc3\xa9");
  CHECK(!got.option("absent"));
  CHECK(got.find(Checkpoint::kParameters)->size() == 100'000);
  CHECK(!got.find("second_moment"));
}

TEST_CASE("checkpoint: the bytes are those that the header describes") {
  const TemporaryFolder folder;
  Checkpoint checkpoint;
  checkpoint.network = "input 1 1 1\ndense 2\n";
  checkpoint.options = {{"lr", "1"}, {"seed", "7"}};
  checkpoint.epoch = 1;
  checkpoint.step = 2;
  checkpoint.images = 3;
  checkpoint.optimiser_steps = 4;
  checkpoint.skipped = 5;
  checkpoint.scale = 0.5f;
  checkpoint.good_steps = 6;
  checkpoint.arrays = {{"parameters", {1, 2}}, {"state", {}}};
  write_checkpoint(folder.path() / "c", checkpoint);
  Raw raw = raw_start(checkpoint.network, "lr=1\nseed=7\n", 0.5f);
  raw.add(std::uint32_t{2}).add_text("parameters").add(std::uint64_t{2}).add(1.0f).add(2.0f);
  raw.add_text("state").add(std::uint64_t{0});
  CHECK(bytes_of(folder.path() / "c") == raw.finished());
}

TEST_CASE("checkpoint: every shorter file and every flipped bit is found") {
  const TemporaryFolder folder;
  write_checkpoint(folder.path() / "c", some_checkpoint());
  const Bytes good = bytes_of(folder.path() / "c");
  const std::string size = std::to_string(good.size());
  const auto is_one_line = [](const std::string& text) {
    return text.starts_with("run.ckpt: ") && text.find('\n') == std::string::npos;
  };
  for (std::size_t length = 0; length < good.size(); ++length) {
    const std::string message = refusal({good.begin(), good.begin() + length});
    CHECK(message == "run.ckpt: the checkpoint ends early: expected " +
                         (length < 20 ? "20" : size) + " bytes, found " + std::to_string(length));
  }
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes damaged = good;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    const std::string message = refusal(damaged);
    if (!is_one_line(message)) FAIL_CHECK("kind: values: bit " << bit << ": " << message);
  }
  Bytes longer = good;
  longer.push_back(0);
  CHECK(refusal(longer) == "run.ckpt: the checkpoint goes on after its end: expected " + size +
                               " bytes, found " + std::to_string(longer.size()));
  Bytes newer = good;
  newer[8] = 2;
  CHECK(refusal(newer) == "run.ckpt: is a checkpoint of version 2; expected version 1");
  Bytes damaged = good;
  damaged.back() ^= 0xff;
  CHECK(refusal(damaged).find("the checkpoint is damaged: its checksum is ") != std::string::npos);
  CHECK(refusal({'{', '}'}) ==
        "run.ckpt: is not a checkpoint; expected a file that begins with TUT-CKPT");
}

TEST_CASE("checkpoint: lengths and contents that cannot be are refused, and nothing is allocated") {
  const auto damage = [](Raw& raw) {
    const std::string message = refusal(raw.finished());
    const std::string start = "run.ckpt: the checkpoint is damaged: ";
    REQUIRE_MESSAGE(message.starts_with(start), message);
    return message.substr(start.size());
  };
  const auto with_arrays = [](std::uint32_t count) {
    Raw raw = raw_start("n", "");
    raw.add(count);
    return raw;
  };
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
  Raw raw = with_arrays(1);
  CHECK(
      damage(raw.add_text("parameters").add(kHuge).add(1.0f)) ==
      "the array parameters has 4611686018427387904 values; expected at most the 1 that are left");
  raw = with_arrays(0xffffffff);
  CHECK(damage(raw) == "it has 4294967295 arrays; expected at most 64");
  raw = with_arrays(1);
  CHECK(damage(raw) == "an array's name reaches past the end: expected 4 bytes, found 0");
  raw = with_arrays(1);
  CHECK(damage(raw.add_text(std::string(65, 'a'))) ==
        "an array's name has 65 characters; expected at most 64");
  raw = with_arrays(1);
  CHECK(damage(raw.add_text("A").add(std::uint64_t{0})) ==
        "an array's name is not of a-z, 0-9 and _");
  raw = with_arrays(2);
  for (int i = 0; i < 2; ++i) raw.add_text("a").add(std::uint64_t{0});
  CHECK(damage(raw) == "the array a is there twice");
  raw = with_arrays(0);
  CHECK(damage(raw.add('x')) == "expected its end after the last array, found 1 bytes");

  for (const auto& [options, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {"lr=1", "the options do not end with a line"},
           {"lr\n", "an option is not a line key=value"},
           {"L R=1\n", "an option is not a line key=value"},
           {"lr=\x1b[2J\n", "an option is not a line key=value"},
           {"lr=1\nlr=2\n", "the option lr is there twice"}}) {
    Raw one = raw_start("n", options);
    CHECK(damage(one.add(std::uint32_t{0})) == message);
  }
  std::string many;
  for (int i = 0; i < 257; ++i) many += "o" + std::to_string(i) + "=\n";
  raw = raw_start("n", many);
  CHECK(damage(raw) == "it has too many options");
  for (const float scale : {0.0f, -1.0f, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    raw = raw_start("n", "", scale);
    CHECK(damage(raw).starts_with("the loss scale is "));
  }
  raw = Raw().add_bytes("TUT-CKPT").add(std::uint32_t{1}).add(std::uint64_t{0});
  CHECK(damage(raw.add(std::uint64_t{0}).add_text("n")) ==
        "the network's text does not have its fingerprint");
  raw = Raw().add_bytes("TUT-CKPT").add(std::uint32_t{1}).add(std::uint64_t{0});
  CHECK(damage(raw.add(std::uint64_t{0}).add(0xffffffffu)) ==
        "the network has 4294967295 characters; expected at most 65536");
}

TEST_CASE("checkpoint: files that cannot be read are refused in one line") {
  const TemporaryFolder folder;
  const std::string absent = folder.path() / "absent";
  CHECK_THROWS_WITH_AS(read_checkpoint(absent),
                       (absent + ": cannot be read: No such file or directory").c_str(),
                       CheckpointError);
  CHECK_THROWS_WITH_AS(read_checkpoint(folder.path()),
                       (folder.path().string() + ": is not a file; expected a checkpoint").c_str(),
                       CheckpointError);
  CHECK_THROWS_AS(read_checkpoint("/dev/zero"), CheckpointError);
  // A file that announces, and has, more than the largest network: it takes no memory to refuse.
  const fs::path large = folder.path() / "large";
  std::uint64_t size = std::uint64_t{1} << 40;
  Bytes header{'T', 'U', 'T', '-', 'C', 'K', 'P', 'T', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  std::memcpy(&header[12], &size, sizeof(size));
  folder.write("large", header);
  std::error_code error;
  fs::resize_file(large, size, error);
  if (!error) {
    CHECK_THROWS_WITH_AS(
        read_checkpoint(large),
        (large.string() + ": the checkpoint has 1099511627776 bytes; expected at most 1342177280")
            .c_str(),
        CheckpointError);
  }
}

TEST_CASE("checkpoint: on a full disk the last one stays") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run.ckpt";
  const Checkpoint before = some_checkpoint(1000);
  write_checkpoint(path, before);
  Checkpoint after = some_checkpoint(30'000);
  after.epoch = 3;
  for (const rlim_t room : {0, 1, 100, 4096, 100'000}) {
    CAPTURE(room);
    std::string message = "nothing was thrown";
    {
      const test::FullDisk full(room);
      try {
        write_checkpoint(path, after);
      } catch (const FileError& error) {
        message = error.what();
      }
    }
    CHECK(message == path.string() + ": cannot be written: File too large");
    CHECK(files_in(folder.path()) == 1);
    check_equal(read_checkpoint(path), before);
  }
  write_checkpoint(path, after);
  check_equal(read_checkpoint(path), after);
}

TEST_CASE("checkpoint: a killed run leaves a whole one") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run.ckpt";
  write_checkpoint(path, some_checkpoint());
  std::uint64_t last = 0;
  for (int round = 0; round < 12; ++round) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      Checkpoint checkpoint = some_checkpoint(50'000);
      for (;;) {
        ++checkpoint.step;
        std::ranges::fill(checkpoint.arrays[0].values, static_cast<float>(checkpoint.step));
        write_checkpoint(path, checkpoint);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * round));
    // On a slow machine no child may have come so far: the last one gets its time.
    while (round == 11 && last == 71 && read_checkpoint(path).step == 71) std::this_thread::yield();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const Checkpoint got = read_checkpoint(path);
    last = std::max(last, got.step);
    if (got.step == 71) continue;  // killed before its first was done
    for (const float value : got.arrays[0].values) REQUIRE(value == static_cast<float>(got.step));
  }
  CHECK(last > 71);  // the children did write
}

TEST_CASE("checkpoint: what cannot be written is refused") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run.ckpt";
  const std::string missing = folder.path() / "absent" / "run.ckpt";
  CHECK_THROWS_WITH_AS(write_checkpoint(missing, some_checkpoint()),
                       (missing + ": cannot be written: No such file or directory").c_str(),
                       FileError);
  CHECK_THROWS_WITH_AS(write_checkpoint("/dev/full", some_checkpoint()),
                       "/dev/full: cannot be written: it is not a regular file", FileError);
  const auto check_invalid = [&](auto change) {
    Checkpoint checkpoint = some_checkpoint();
    change(checkpoint);
    CHECK_THROWS_AS(write_checkpoint(path, checkpoint), std::invalid_argument);
  };
  check_invalid([](Checkpoint& c) { c.arrays.push_back({"parameters", {}}); });
  check_invalid([](Checkpoint& c) { c.arrays.push_back({"", {}}); });
  check_invalid([](Checkpoint& c) { c.arrays.push_back({std::string(65, 'a'), {}}); });
  check_invalid([](Checkpoint& c) { c.options.emplace_back("lr", "1"); });
  check_invalid([](Checkpoint& c) { c.options.emplace_back("a=b", "1"); });
  check_invalid([](Checkpoint& c) { c.options.emplace_back("note", "two\nlines"); });
  check_invalid([](Checkpoint& c) { c.scale = 0; });
  check_invalid([](Checkpoint& c) { c.network.assign(70'000, 'x'); });
  check_invalid([](Checkpoint& c) { c.epoch = ~std::uint64_t{0}; });
  CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("checkpoint: another network is named") {
  const NetworkSpec spec = parse_network("input 1 2 2\nconv 2 1\nbatchnorm\ndense 10\n", "net.txt");
  Checkpoint checkpoint;
  checkpoint.network = to_text(spec);
  checkpoint.arrays = {{"parameters", std::vector<float>(spec.parameters)},
                       {"state", std::vector<float>(spec.state)}};
  require_made_by(checkpoint, spec, "run.ckpt");

  const auto refusal_for = [&](const std::string& text) {
    try {
      require_made_by(checkpoint, parse_network(text, "other.txt"), "run.ckpt");
    } catch (const CheckpointError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  const std::string start = "run.ckpt: was made by a network with ";
  CHECK(refusal_for("input 1 2 3\nconv 2 1\nbatchnorm\ndense 10") ==
        start + "'input 1 2 2'; expected 'input 1 2 3'");
  CHECK(refusal_for("input 1 2 2\nconv 22 1\nbatchnorm\ndense 10") ==
        start + "'conv 2 1' as layer 1; expected 'conv 22 1'");
  CHECK(refusal_for("input 1 2 2\nconv 2 1\nbatchnorm\ndense 10\nrelu") ==
        start + "nothing as layer 4; expected 'relu'");
  CHECK(refusal_for("input 1 2 2\nconv 2 1\nbatchnorm\n") ==
        start + "'dense 10' as layer 3; expected nothing");

  checkpoint.arrays.push_back({"second_moment", {1}});
  CHECK_THROWS_WITH_AS(
      require_made_by(checkpoint, spec, "run.ckpt"),
      "run.ckpt: the checkpoint has 1 values under second_moment; expected 98 values",
      CheckpointError);
  checkpoint.arrays.resize(1);
  CHECK_THROWS_WITH_AS(require_made_by(checkpoint, spec, "run.ckpt"),
                       "run.ckpt: the checkpoint has nothing under state; expected 4 values",
                       CheckpointError);
}
