#include "learn/core/mnist.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "learn/core/sha256.hpp"
#include "tut/data/byte_reader.hpp"
#include "tut/data/dataset.hpp"

namespace tut::learn {
namespace fs = std::filesystem;

fs::path mnist_folder(const fs::path& root) {
  const char* variable = std::getenv("TUT_DATA_DIR");
  // "drawn" asks the trainer for generated digits and names no folder.
  std::string folder = variable == nullptr ? "" : variable;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder.empty() || folder == "drawn" ? root / "data" / "mnist" : fs::path(folder);
}

std::optional<std::string> unpack(const fs::path& file) try {
  data::ByteReader in(file);
  std::string content;
  std::array<std::uint8_t, 1 << 16> buffer{};
  std::size_t count = 0;
  while ((count = in.read(buffer)) > 0) content.append(buffer.begin(), buffer.begin() + count);
  return content;
} catch (const data::DataError&) {
  return std::nullopt;
}

std::string mnist_fault(const fs::path& file, const MnistFile& expected) {
  if (!fs::exists(file)) return "is not there";
  const auto content = unpack(file);
  if (!content) return "cannot be unpacked";
  return sha256(*content) == expected.sha256 ? "" : "has other content than MNIST's (SHA-256)";
}

bool mnist_present(const fs::path& folder) {
  return std::ranges::all_of(mnist_files, [&](const MnistFile& file) {
    return mnist_fault(folder / file.name, file).empty();
  });
}

}  // namespace tut::learn
