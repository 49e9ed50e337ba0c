#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tut::learn {

/// A folder chapters/NN_name.
struct Chapter {
  int number = 0;
  std::string folder;  ///< 05_shared_memory_tiling
  std::string title;   ///< the first heading of its README.md, else its name in words

  std::string name() const { return folder.substr(3); }
};

/// The folder of an instructor's own exercises, laid out as the course is: the environment's
/// LEARN_COURSE_PATH, as an absolute path; nothing where that is not set.
/// @throws UsageError when it is no folder.
std::optional<std::filesystem::path> own_course_folder();

/// The chapters of a checkout, and of an instructor's own course those that it has besides, in
/// order.
std::vector<Chapter> find_chapters(const std::filesystem::path& root);

/// 5, 05, ch5 and ch05 as a number.
std::optional<int> chapter_number(std::string_view word);

/// The chapter that `word` names: 5, 05, ch05, 05_shared_memory_tiling or shared_memory_tiling.
/// @throws UsageError that names the nearest chapter.
const Chapter& pick_chapter(std::span<const Chapter> chapters, std::string_view word);

}  // namespace tut::learn
