#pragma once

#include <string>
#include <string_view>

#include "learn/core/build_tree.hpp"

namespace tut::learn {

/// A line on standard error that the next output replaces; silent off a terminal.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(std::string_view text);
  void clear();

  /// Shows a build as a bar, e.g. "building matmul_padded  [#####.....] 3/6".
  BuildProgress build_bar(std::string label);

 private:
  bool enabled_;
  bool shown_ = false;
};

/// A bar of `width` characters with the done share filled.
std::string bar(int done, int total, int width);

}  // namespace tut::learn
