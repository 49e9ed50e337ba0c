#include "learn/core/status_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tut::learn {

StatusLine::StatusLine() : enabled_(isatty(STDERR_FILENO) != 0) {}

void StatusLine::show(std::string_view text) {
  if (!enabled_) return;
  std::fflush(stdout);
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  shown_ = true;
}

void StatusLine::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

BuildProgress StatusLine::build_bar(std::string label) {
  show(fmt::format("building {} ...", label));
  return [this, label = std::move(label)](BuildStep step) {
    show(fmt::format("building {}  {} {}/{}", label, bar(step.done, step.total, 20), step.done,
                     step.total));
  };
}

std::string bar(int done, int total, int width) {
  const int filled = total <= 0 ? 0 : std::clamp(done * width / total, 0, width);
  return fmt::format("[{}{}]", std::string(static_cast<std::size_t>(filled), '#'),
                     std::string(static_cast<std::size_t>(width - filled), '.'));
}

}  // namespace tut::learn
