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

/// The chapters of a checkout, in order.
std::vector<Chapter> find_chapters(const std::filesystem::path& root);

/// 5, 05, ch5 and ch05 as a number.
std::optional<int> chapter_number(std::string_view word);

/// The chapter that `word` names: 5, 05, ch05, 05_shared_memory_tiling or shared_memory_tiling.
/// @throws UsageError that names the nearest chapter.
const Chapter& pick_chapter(std::span<const Chapter> chapters, std::string_view word);

}  // namespace tut::learn
