#include "learn/core/chapters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

bool is_chapter_folder(const std::string& name) {
  return name.size() > 3 && is_digit(name[0]) && is_digit(name[1]) && name[2] == '_';
}

/// The text after "# " in the lesson's first heading, without the chapter's number.
std::string read_title(const fs::path& folder, const std::string& name) {
  for (const std::string& line : split_lines(read_file(folder / "README.md").value_or(""))) {
    if (!line.starts_with("# ")) continue;
    std::string_view title = trim(std::string_view(line).substr(2));
    if (const std::size_t anchor = title.find(" {#"); anchor != title.npos) {
      title = title.substr(0, anchor);
    }
    if (title.starts_with("Chapter ")) title.remove_prefix(8);
    while (!title.empty() && (is_digit(title[0]) ||
                              std::string_view(" .:").find(title[0]) != std::string_view::npos)) {
      title.remove_prefix(1);
    }
    if (!title.empty()) return std::string(title);
  }
  std::string words = name;
  std::ranges::replace(words, '_', ' ');
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words;
}

}  // namespace

std::optional<int> chapter_number(std::string_view word) {
  if (word.starts_with("ch")) word.remove_prefix(2);
  if (word.empty() || word.size() > 2 || !std::ranges::all_of(word, is_digit)) return std::nullopt;
  int number = 0;
  for (const char c : word) number = 10 * number + (c - '0');
  return number;
}

std::optional<fs::path> own_course_folder() {
  const char* folder = std::getenv("LEARN_COURSE_PATH");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw UsageError(fmt::format(
        "LEARN_COURSE_PATH is '{}', which is no folder; expected one laid out as the course is",
        folder));
  }
  return fs::canonical(folder);
}

namespace {

/// Adds the chapters of a folder, but for those whose number is there already.
void add_chapters(const fs::path& root, std::vector<Chapter>& chapters) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "chapters", error)) {
    const std::string folder = entry.path().filename().string();
    if (!entry.is_directory() || !is_chapter_folder(folder)) continue;
    if (!fs::exists(entry.path() / "README.md") && !fs::exists(entry.path() / "CMakeLists.txt")) {
      continue;
    }
    const int number = 10 * (folder[0] - '0') + (folder[1] - '0');
    if (std::ranges::find(chapters, number, &Chapter::number) != chapters.end()) continue;
    chapters.push_back({number, folder, read_title(entry.path(), folder.substr(3))});
  }
}

}  // namespace

std::vector<Chapter> find_chapters(const fs::path& root) {
  std::vector<Chapter> chapters;
  add_chapters(root, chapters);
  if (const auto own = own_course_folder()) add_chapters(*own, chapters);
  std::ranges::sort(chapters, {}, &Chapter::number);
  return chapters;
}

const Chapter& pick_chapter(std::span<const Chapter> chapters, std::string_view word) {
  while (word.ends_with('/')) word.remove_suffix(1);
  const std::optional<int> number = chapter_number(word);
  std::vector<std::string> names;
  for (const Chapter& chapter : chapters) {
    if (number ? chapter.number == *number : chapter.folder == word || chapter.name() == word) {
      return chapter;
    }
    names.push_back(chapter.folder);
  }
  std::string message = fmt::format("no chapter '{}'", word);
  if (const auto near = nearest_name(word, names); near && !number) {
    message += fmt::format("; did you mean {}?", *near);
  } else {
    message += "; './learn list' shows them";
  }
  throw UsageError(message);
}

}  // namespace tut::learn
