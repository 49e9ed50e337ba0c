#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "learn/classroom/name_lists.hpp"
#include "learn/classroom/rules.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

/// Folders of the system whose headers belong to the language, not to other libraries.
bool is_standard_header(const fs::path& file) {
  const std::string text = file.string();
  constexpr auto kFolders = std::to_array<std::string_view>(
      {"/usr/include/c++/", "/usr/include/bits/", "/usr/include/linux/",
       "/usr/include/asm-generic/", "/usr/include/x86_64-linux-gnu/bits/",
       "/usr/include/x86_64-linux-gnu/sys/", "/usr/include/x86_64-linux-gnu/gnu/",
       "/usr/include/x86_64-linux-gnu/asm/", "/usr/include/x86_64-linux-gnu/c++/"});
  if (starts_with_one(text, kFolders)) return true;
  // A compiler's own folders, wherever it is installed: .../lib/gcc/x86_64-linux-gnu/12/include.
  if (text.find("/lib/gcc/") != std::string::npos ||
      text.find("/lib/clang/") != std::string::npos ||
      (text.find("/include/c++/") != std::string::npos)) {
    return true;
  }
  return file.parent_path() == "/usr/include";
}

}  // namespace

std::vector<std::string> forbidden_files(const ObjectFacts& facts, const ObjectFacts& reference,
                                         const fs::path& root, const fs::path& own) {
  const std::set<std::string> known(reference.files.begin(), reference.files.end());
  const std::string number = own.parent_path().filename().string().substr(0, 2);
  std::vector<std::string> lines;
  for (const std::string& file : facts.files) {
    const fs::path path = fs::path(file).lexically_normal();
    if (known.contains(file) || is_standard_header(path)) continue;
    const fs::path inside = path.is_absolute() ? path.lexically_relative(root) : path;
    const std::string text = inside.string();
    const bool header = inside.extension() == ".hpp" || inside.extension() == ".h" ||
                        inside.extension() == ".cuh" || inside.extension().empty();
    const bool allowed =
        inside == own || text.starts_with("common/simt/include/") ||
        (text.starts_with("chapters/" + number) && header) ||
        (text.starts_with("common/tut/") && inside.extension() == ".hpp" &&
         !text.starts_with("common/tut/testing/") && !text.starts_with("common/tut/trial/") &&
         !text.starts_with("common/tut/budget/") && !text.starts_with("common/tut/compare/"));
    if (allowed) continue;
    lines.push_back(fmt::format(
        "it includes {}; expected the exercise's own headers, CUDA's and the standard library's",
        text.starts_with("..") ? file : text));
  }
  if (lines.size() > 3) lines.resize(3);
  return lines;
}

}  // namespace tut::learn
