#include "16_cnn_trainer/trainer/checkpoint/checkpoint.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "16_cnn_trainer/trainer/checkpoint/atomic_file.hpp"
#include "16_cnn_trainer/trainer/checkpoint/checkpoint_format.hpp"

namespace tut::ch16 {

namespace {

void demand(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument("the checkpoint cannot be written: " + message);
}

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_text(std::string& out, std::string_view text) {
  append(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

std::string options_text(const Checkpoint& checkpoint) {
  demand(checkpoint.options.size() <= format::kMaxOptions, "more than 256 options");
  std::string text;
  std::set<std::string_view> keys;
  for (const auto& [key, value] : checkpoint.options) {
    demand(format::is_name(key) && keys.insert(key).second,
           "the option '" + key + "' is there twice or no name; expected a-z, 0-9 and _");
    demand(format::is_value(value), "the option " + key + " has more than one line of text");
    text += key + "=" + value + "\n";
  }
  return text;
}

// Everything between the file's size and the first array.
std::string body_of(const Checkpoint& checkpoint) {
  const std::string options = options_text(checkpoint);
  demand(checkpoint.network.size() <= format::kMaxText && options.size() <= format::kMaxText,
         "the network or the options are longer than 64 KiB");
  demand(checkpoint.epoch <= format::kMaxEpochs, "more than 2^30 epochs");
  demand(format::is_scale(checkpoint.scale), "the loss scale is not a finite number above 0");
  demand(checkpoint.arrays.size() <= format::kMaxArrays, "more than 64 arrays");
  std::string body;
  append(body, fingerprint(checkpoint.network));
  append_text(body, checkpoint.network);
  append_text(body, options);
  for (const std::uint64_t count : {checkpoint.epoch, checkpoint.step, checkpoint.images,
                                    checkpoint.optimiser_steps, checkpoint.skipped}) {
    append(body, count);
  }
  append(body, checkpoint.scale);
  append(body, checkpoint.good_steps);
  append(body, static_cast<std::uint32_t>(checkpoint.arrays.size()));
  return body;
}

std::uint32_t checksum(std::span<const std::string_view> parts) {
  uLong crc = crc32_z(0, nullptr, 0);
  for (const std::string_view part : parts) {
    if (part.empty()) continue;  // a null pointer would start anew
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  return static_cast<std::uint32_t>(crc);
}

}  // namespace

namespace format {

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_value(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; });
}

bool is_scale(float scale) { return std::isfinite(scale) && scale > 0; }

}  // namespace format

const std::vector<float>* Checkpoint::find(std::string_view name) const {
  const auto found = std::ranges::find(arrays, name, &Array::name);
  return found == arrays.end() ? nullptr : &found->values;
}

const std::string* Checkpoint::option(std::string_view key) const {
  const auto found = std::ranges::find(options, key, &std::pair<std::string, std::string>::first);
  return found == options.end() ? nullptr : &found->second;
}

std::uint64_t fingerprint(const Checkpoint& checkpoint) {
  Checkpoint counted = checkpoint;
  counted.options.clear();
  std::string bytes = body_of(counted);
  for (const Checkpoint::Array& array : checkpoint.arrays) {
    append_text(bytes, array.name);
    bytes.append(reinterpret_cast<const char*>(array.values.data()),
                 array.values.size() * sizeof(float));
  }
  return fingerprint(std::string_view(bytes));
}

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  // The arrays are written from where they are; only what stands between them is copied.
  std::deque<std::string> texts{"", body_of(checkpoint)};
  std::vector<std::string_view> parts{"", texts[1]};
  std::set<std::string_view> names;
  for (const Checkpoint::Array& array : checkpoint.arrays) {
    demand(format::is_name(array.name) && names.insert(array.name).second,
           "the array '" + array.name + "' is there twice or has no name of a-z, 0-9 and _");
    std::string& text = texts.emplace_back();
    append_text(text, array.name);
    append(text, std::uint64_t{array.values.size()});
    parts.push_back(text);
    parts.emplace_back(reinterpret_cast<const char*>(array.values.data()),
                       array.values.size() * sizeof(float));
  }
  std::uint64_t size = format::kHeaderBytes + format::kChecksumBytes;
  for (const std::string_view part : parts) size += part.size();
  demand(size <= format::kMaxBytes, "it is larger than the largest network's");
  texts[0] = format::kMagic;
  append(texts[0], format::kVersion);
  append(texts[0], size);
  parts[0] = texts[0];
  append(texts.emplace_back(), checksum(parts));
  parts.push_back(texts.back());
  AtomicFile(path).write(parts);
}

}  // namespace tut::ch16
