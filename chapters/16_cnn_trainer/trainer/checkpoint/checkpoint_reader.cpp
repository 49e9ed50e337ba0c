#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "16_cnn_trainer/trainer/checkpoint/checkpoint.hpp"
#include "16_cnn_trainer/trainer/checkpoint/checkpoint_format.hpp"
#include "16_cnn_trainer/trainer/network/printable.hpp"

namespace tut::ch16 {

namespace {

namespace fs = std::filesystem;

std::string hexadecimal(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "%08x", value);
  return text;
}

// The parts of a checkpoint one after another; none reaches past the end.
class Reader {
 public:
  Reader(std::span<const std::uint8_t> bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}

  template <class T>
  T number(const char* what) {
    T value;
    std::memcpy(&value, take(sizeof(value), what).data(), sizeof(value));
    return value;
  }

  std::string text(const char* what, std::size_t longest) {
    const auto length = number<std::uint32_t>(what);
    if (length > longest) {
      fail(std::string(what) + " has " + std::to_string(length) + " characters; expected at most " +
           std::to_string(longest));
    }
    const auto taken = take(length, what);
    return {taken.begin(), taken.end()};
  }

  std::vector<float> floats(const std::string& what) {
    const auto count = number<std::uint64_t>(what.c_str());
    if (count > bytes_.size() / sizeof(float)) {
      fail(what + " has " + std::to_string(count) + " values; expected at most the " +
           std::to_string(bytes_.size() / sizeof(float)) + " that are left");
    }
    std::vector<float> values(count);
    const auto taken = take(count * sizeof(float), what.c_str());
    if (count > 0) std::memcpy(values.data(), taken.data(), taken.size());
    return values;
  }

  std::size_t left() const { return bytes_.size(); }

  [[noreturn]] void fail(const std::string& what) const {
    throw CheckpointError(name_ + ": the checkpoint is damaged: " + what);
  }

 private:
  std::span<const std::uint8_t> take(std::size_t count, const char* what) {
    if (count > bytes_.size()) {
      fail(std::string(what) + " reaches past the end: expected " + std::to_string(count) +
           " bytes, found " + std::to_string(bytes_.size()));
    }
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

  std::span<const std::uint8_t> bytes_;
  std::string name_;
};

[[noreturn]] void fail_size(const std::string& name, const char* how, std::uint64_t expected,
                            std::uint64_t found) {
  throw CheckpointError(name + ": the checkpoint " + how + ": expected " +
                        std::to_string(expected) + " bytes, found " + std::to_string(found));
}

// Holds the first bytes of a file against the size it has.
void check_header(std::span<const std::uint8_t> bytes, std::uint64_t size,
                  const std::string& name) {
  const std::size_t shown = std::min(bytes.size(), format::kMagic.size());
  if (!std::equal(bytes.begin(), bytes.begin() + shown, format::kMagic.begin())) {
    throw CheckpointError(name + ": is not a checkpoint; expected a file that begins with " +
                          std::string(format::kMagic));
  }
  if (bytes.size() < format::kHeaderBytes) {
    fail_size(name, "ends early", format::kHeaderBytes, bytes.size());
  }
  Reader header(bytes.subspan(format::kMagic.size()), name);
  const auto version = header.number<std::uint32_t>("the version");
  if (version != format::kVersion) {
    throw CheckpointError(name + ": is a checkpoint of version " + std::to_string(version) +
                          "; expected version " + std::to_string(format::kVersion));
  }
  const auto expected = header.number<std::uint64_t>("the size");
  if (expected > size) fail_size(name, "ends early", expected, size);
  if (expected < size) fail_size(name, "goes on after its end", expected, size);
  if (size > format::kMaxBytes) {
    throw CheckpointError(name + ": the checkpoint has " + std::to_string(size) +
                          " bytes; expected at most " + std::to_string(format::kMaxBytes));
  }
}

void check_sum(std::span<const std::uint8_t> bytes, const std::string& name) {
  const std::size_t covered = bytes.size() - format::kChecksumBytes;
  std::uint32_t found;
  std::memcpy(&found, bytes.data() + covered, sizeof(found));
  const auto expected = static_cast<std::uint32_t>(crc32_z(0, bytes.data(), covered));
  if (found == expected) return;
  throw CheckpointError(name + ": the checkpoint is damaged: its checksum is " +
                        hexadecimal(found) + "; expected " + hexadecimal(expected));
}

void read_options(Reader& reader, Checkpoint& checkpoint) {
  const std::string text = reader.text("the options", format::kMaxText);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) reader.fail("the options do not end with a line");
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t sign = line.find('=');
    if (sign == std::string::npos || !format::is_name(line.substr(0, sign)) ||
        !format::is_value(line.substr(sign + 1))) {
      reader.fail("an option is not a line key=value");
    }
    const std::string key = line.substr(0, sign);
    if (checkpoint.options.size() == format::kMaxOptions) reader.fail("it has too many options");
    if (checkpoint.option(key)) reader.fail("the option " + key + " is there twice");
    checkpoint.options.emplace_back(key, line.substr(sign + 1));
  }
}

void read_progress(Reader& reader, Checkpoint& checkpoint) {
  for (std::uint64_t* count : {&checkpoint.epoch, &checkpoint.step, &checkpoint.images,
                               &checkpoint.optimiser_steps, &checkpoint.skipped}) {
    *count = reader.number<std::uint64_t>("the progress");
  }
  if (checkpoint.epoch > format::kMaxEpochs) {
    reader.fail("it says " + std::to_string(checkpoint.epoch) + " epochs; expected at most " +
                std::to_string(format::kMaxEpochs));
  }
  checkpoint.scale = reader.number<float>("the loss scale");
  if (!format::is_scale(checkpoint.scale)) {
    reader.fail("the loss scale is " + std::to_string(checkpoint.scale) +
                "; expected a finite number above 0");
  }
  checkpoint.good_steps = reader.number<std::uint64_t>("the loss scale");
}

void read_arrays(Reader& reader, Checkpoint& checkpoint) {
  const auto count = reader.number<std::uint32_t>("the number of arrays");
  if (count > format::kMaxArrays) {
    reader.fail("it has " + std::to_string(count) + " arrays; expected at most " +
                std::to_string(format::kMaxArrays));
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string name = reader.text("an array's name", format::kMaxName);
    if (!format::is_name(name)) reader.fail("an array's name is not of a-z, 0-9 and _");
    if (checkpoint.find(name)) reader.fail("the array " + name + " is there twice");
    checkpoint.arrays.push_back({name, reader.floats("the array " + name)});
  }
}

// The first line in which two texts differ, counted from 0, and what each has there.
struct Difference {
  std::size_t line;
  std::string found, expected;
};

std::optional<Difference> first_difference(const std::string& found, const std::string& expected) {
  if (found == expected) return std::nullopt;
  const auto [at, other] = std::ranges::mismatch(found, expected);
  const auto begin = static_cast<std::size_t>(at - found.begin());
  const std::size_t line = begin == 0 ? 0 : found.rfind('\n', begin - 1) + 1;
  const auto line_of = [line](const std::string& text) {
    return text.substr(line, std::min<std::size_t>(text.find('\n', line), text.size()) - line);
  };
  return Difference{static_cast<std::size_t>(std::count(found.begin(), at, '\n')), line_of(found),
                    line_of(expected)};
}

std::string or_end(const std::string& line) {
  return line.empty() ? "nothing" : "'" + printable(line.substr(0, 80)) + "'";
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Checkpoint parse_checkpoint(std::span<const std::uint8_t> bytes, const std::string& name) {
  const std::string shown = printable(name);
  check_header(bytes, bytes.size(), shown);
  if (bytes.size() < format::kHeaderBytes + format::kChecksumBytes) {
    fail_size(shown, "ends early", format::kHeaderBytes + format::kChecksumBytes, bytes.size());
  }
  check_sum(bytes, shown);
  Reader reader(bytes.subspan(format::kHeaderBytes,
                              bytes.size() - format::kHeaderBytes - format::kChecksumBytes),
                shown);
  Checkpoint checkpoint;
  const auto print = reader.number<std::uint64_t>("the network's fingerprint");
  checkpoint.network = reader.text("the network", format::kMaxText);
  if (print != fingerprint(checkpoint.network)) {
    reader.fail("the network's text does not have its fingerprint");
  }
  read_options(reader, checkpoint);
  read_progress(reader, checkpoint);
  read_arrays(reader, checkpoint);
  if (reader.left() > 0) {
    reader.fail("expected its end after the last array, found " + std::to_string(reader.left()) +
                " bytes");
  }
  return checkpoint;
}

Checkpoint read_checkpoint(const fs::path& path) {
  const std::string name = printable(path.string());
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    throw CheckpointError(name + ": is not a file; expected a checkpoint");
  }
  errno = 0;
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  std::error_code error(errno, std::generic_category());
  const std::uintmax_t size = file ? fs::file_size(path, error) : 0;
  if (!file || error) throw CheckpointError(name + ": cannot be read: " + error.message());
  // Nothing is allocated before the header says that this is a checkpoint of this size.
  std::array<std::uint8_t, format::kHeaderBytes> header;
  const std::size_t got = std::fread(header.data(), 1, header.size(), file.get());
  check_header({header.data(), got}, size, name);
  std::vector<std::uint8_t> bytes(size);
  std::copy(header.begin(), header.end(), bytes.begin());
  const std::size_t rest = std::fread(bytes.data() + got, 1, bytes.size() - got, file.get());
  if (std::ferror(file.get())) {
    throw CheckpointError(name + ": cannot be read: " + std::strerror(errno));
  }
  bytes.resize(got + rest);
  return parse_checkpoint(bytes, name);
}

void require_made_by(const Checkpoint& checkpoint, const NetworkSpec& spec, const fs::path& path) {
  const std::string name = printable(path.string());
  if (const auto difference = first_difference(checkpoint.network, to_text(spec))) {
    throw CheckpointError(
        name + ": was made by a network with " + or_end(difference->found) +
        (difference->line == 0 ? "" : " as layer " + std::to_string(difference->line)) +
        "; expected " + or_end(difference->expected));
  }
  const auto require_length = [&](std::string_view array, std::size_t expected, bool needed) {
    const std::vector<float>* values = checkpoint.find(array);
    if (values ? values->size() == expected : !needed) return;
    throw CheckpointError(name + ": the checkpoint has " +
                          (values ? std::to_string(values->size()) + " values" : "nothing") +
                          " under " + std::string(array) + "; expected " +
                          std::to_string(expected) + " values");
  };
  require_length(Checkpoint::kParameters, spec.parameters, true);
  require_length(Checkpoint::kState, spec.state, spec.state > 0);
  require_length(Checkpoint::kFirstMoment, spec.parameters, false);
  require_length(Checkpoint::kSecondMoment, spec.parameters, false);
}

}  // namespace tut::ch16
