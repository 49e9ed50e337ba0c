#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace tut {

/// Whether `stream` is a terminal that understands control sequences.
bool is_terminal(std::FILE* stream);

/// Whether text on `stream` may be coloured: a terminal, and NO_COLOR is not set.
bool has_colour(std::FILE* stream);

/// Whether the locale's characters are UTF-8.
bool has_utf8();

enum class Colour { red = 31, green = 32, yellow = 33, blue = 34, cyan = 36, grey = 90 };

/// The text in a colour, or as it is.
std::string paint(std::string_view text, Colour colour, bool coloured);

/// One line, at most `width` columns: "label  [#####.....]  50%  5/10  1.2 s left".
std::string progress_line(std::string_view label, std::int64_t done, std::int64_t total,
                          double seconds, int width);

/// A progress bar for long work. On a terminal it redraws one line, at most ten times a second;
/// elsewhere it prints one line when it has finished, and nothing before.
class ProgressBar {
 public:
  /// `total` steps of at least 1. Draws on stderr unless told otherwise.
  ProgressBar(std::string label, std::int64_t total, std::FILE* stream = stderr);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void advance(std::int64_t steps = 1) { set(done_ + steps); }
  void set(std::int64_t done);
  /// Ends the line; the destructor does it otherwise.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void draw() const;

  std::string label_;
  std::int64_t total_, done_ = 0;
  std::FILE* stream_;
  bool live_, finished_ = false;
  Clock::time_point start_ = Clock::now(), drawn_ = start_;
};

struct Bar {
  std::string label;
  double value = 0;
  /// Stands in place of the number if it is not empty, say "1.25 TFLOP/s".
  std::string text = {};
};

struct BarChartOptions {
  /// Columns of the longest bar.
  int width = 40;
  std::string unit = {};
  bool utf8 = has_utf8();
};

/// One line for each bar: its label, a bar as long as its value beside the largest, the number.
/// Values below 0 and NaN get no bar.
std::string bar_chart(std::span<const Bar> bars, const BarChartOptions& options = {});

}  // namespace tut
