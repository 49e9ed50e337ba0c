#include "learn/core/status_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <utility>

namespace tut::learn {
namespace {

/// What is shown of a build until its first step is done.
std::string first_line(std::string_view label, std::string_view how_long) {
  return how_long.empty() ? fmt::format("building {} ...", label)
                          : fmt::format("building {} ({}) ...", label, how_long);
}

}  // namespace

StatusLine::StatusLine() : enabled_(isatty(STDERR_FILENO) != 0) {}

void StatusLine::show(std::string_view text) {
  if (!enabled_) return;
  std::fflush(stdout);
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  shown_ = true;
}

void StatusLine::clear() {
  late_line_ = {};
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

BuildProgress StatusLine::build_bar(std::string label, std::string_view how_long) {
  const std::string line = first_line(label, how_long);
  if (!enabled_) say_after_a_second(line);
  return bar_of(std::move(label), line);
}

BuildProgress StatusLine::long_build_bar(std::string label, std::string_view how_long) {
  const std::string line = first_line(label, how_long);
  if (!enabled_) fmt::print(stderr, "{}\n", line);
  return bar_of(std::move(label), line);
}

void StatusLine::say_after_a_second(std::string line) {
  late_line_ = std::jthread([line = std::move(line)](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any done;
    done.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
    if (!stop.stop_requested()) fmt::print(stderr, "{}\n", line);
  });
}

BuildProgress StatusLine::bar_of(std::string label, std::string_view opening) {
  show(opening);
  using Clock = std::chrono::steady_clock;
  return [this, label = std::move(label), begin = Clock::now()](BuildStep step) {
    if (step.done == step.total) late_line_ = {};
    const std::chrono::duration<double> spent = Clock::now() - begin;
    show(fmt::format("building {}  {} {}/{}{}", label, bar(step.done, step.total, 20), step.done,
                     step.total, time_left(step.done, step.total, spent.count())));
  };
}

std::string time_left(int done, int total, double seconds) {
  if (done <= 0 || done >= total || seconds < 3) return "";
  const double left = seconds * (total - done) / done;
  return left < 90 ? fmt::format(", about {:.0f} s left", left)
                   : fmt::format(", about {:.0f} min left", left / 60);
}

std::string bar(int done, int total, int width) {
  // The first step shows, and only the last one fills the bar.
  const int least = done > 0 ? 1 : 0;
  const int filled = total <= 0 ? 0 : std::clamp(done * width / total, least, width);
  return fmt::format("[{}{}]", std::string(static_cast<std::size_t>(filled), '#'),
                     std::string(static_cast<std::size_t>(width - filled), '.'));
}

}  // namespace tut::learn
