#pragma once

#include <string>
#include <string_view>
#include <thread>

#include "learn/core/build_tree.hpp"

namespace tut::learn {

/// A line on standard error that the next output replaces. Off a terminal it is silent, but for one
/// line about each build that takes longer than a second.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(std::string_view text);
  void clear();

  /// Shows a build as a bar, e.g. "building matmul_padded  [#####.....] 3/6, about 40 s left".
  /// @param how_long is shown until the first step is done, as a bar can only follow then, e.g.
  ///                 "the first build can take some minutes"; may be empty
  BuildProgress build_bar(std::string label, std::string_view how_long = {});

  /// The same for a build that is always long: off a terminal, too, it is announced at once.
  BuildProgress long_build_bar(std::string label, std::string_view how_long);

 private:
  BuildProgress bar_of(std::string label, std::string_view opening);
  void say_after_a_second(std::string line);

  bool enabled_;
  bool shown_ = false;
  std::jthread late_line_;  ///< of a build that is under way, off a terminal
};

/// A bar of `width` characters with the done share filled.
std::string bar(int done, int total, int width);

/// ", about 40 s left": if the rest takes as long a step as what `seconds` were spent on. Empty
/// while nobody can tell.
std::string time_left(int done, int total, double seconds);

}  // namespace tut::learn
