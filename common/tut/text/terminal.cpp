#include "tut/text/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tut {
namespace {

constexpr int line_width = 78;

// Characters, not bytes, of UTF-8 text.
int columns(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string duration(double seconds) {
  char text[32];
  if (seconds < 60) {
    std::snprintf(text, sizeof(text), "%.1f s", seconds);
  } else {
    const auto whole = static_cast<long>(seconds);
    std::snprintf(text, sizeof(text), "%ld min %02ld s", whole / 60, whole % 60);
  }
  return text;
}

std::string bar(double length, bool utf8) {
  if (!utf8) return std::string(static_cast<std::size_t>(std::lround(length)), '#');
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int>(std::lround(8 * length));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  return text + parts[eighths % 8];
}

}  // namespace

bool is_terminal(std::FILE* stream) {
  const char* term = std::getenv("TERM");
  return isatty(fileno(stream)) != 0 && term != nullptr && std::strcmp(term, "dumb") != 0;
}

bool has_colour(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  return is_terminal(stream) && (no_colour == nullptr || *no_colour == '\0');
}

bool has_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return std::strstr(value, "UTF-8") != nullptr || std::strstr(value, "utf8") != nullptr;
  }
  return false;
}

std::string paint(std::string_view text, Colour colour, bool coloured) {
  if (!coloured) return std::string(text);
  return "\x1b[" + std::to_string(static_cast<int>(colour)) + "m" + std::string(text) + "\x1b[0m";
}

std::string progress_line(std::string_view label, std::int64_t done, std::int64_t total,
                          double seconds, int width) {
  total = std::max<std::int64_t>(1, total);
  done = std::clamp<std::int64_t>(done, 0, total);
  const double share = static_cast<double>(done) / static_cast<double>(total);
  char numbers[96];
  std::snprintf(numbers, sizeof(numbers), "  %3d%%  %lld/%lld  ", static_cast<int>(100 * share),
                static_cast<long long>(done), static_cast<long long>(total));
  std::string tail = numbers;
  if (done == total) {
    tail += duration(seconds);
  } else if (done > 0) {
    tail += duration(seconds / share - seconds) + " left";
  }
  const int bar_width = std::clamp(width - columns(label) - columns(tail) - 4, 0, 40);
  std::string line(label);
  if (bar_width >= 5) {
    const auto filled = static_cast<std::size_t>(share * bar_width);
    line += "  [" + std::string(filled, '#') +
            std::string(static_cast<std::size_t>(bar_width) - filled, '.') + "]";
  }
  return line + tail;
}

ProgressBar::ProgressBar(std::string label, std::int64_t total, std::FILE* stream)
    : label_(std::move(label)),
      total_(std::max<std::int64_t>(1, total)),
      stream_(stream),
      live_(is_terminal(stream)) {
  if (live_) draw();
}

ProgressBar::~ProgressBar() { finish(); }

void ProgressBar::set(std::int64_t done) {
  done_ = done;
  const Clock::time_point now = Clock::now();
  if (!live_ || finished_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  draw();
}

void ProgressBar::finish() {
  if (finished_) return;
  finished_ = true;
  draw();
  std::fputc('\n', stream_);
  std::fflush(stream_);
}

void ProgressBar::draw() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string line = progress_line(label_, done_, total_, seconds, line_width);
  std::fprintf(stream_, live_ ? "\r\x1b[K%s" : "%s", line.c_str());
  std::fflush(stream_);
}

std::string bar_chart(std::span<const Bar> bars, const BarChartOptions& options) {
  int label_width = 0;
  double largest = 0;
  for (const Bar& b : bars) {
    label_width = std::max(label_width, columns(b.label));
    if (std::isfinite(b.value)) largest = std::max(largest, b.value);
  }
  std::string chart;
  for (const Bar& b : bars) {
    const double share = largest > 0 && b.value > 0 ? std::min(1.0, b.value / largest) : 0;
    const std::string drawn = bar(share * options.width, options.utf8);
    char number[32];
    std::snprintf(number, sizeof(number), "%.3g", b.value);
    std::string value = b.text;
    if (value.empty()) value.append(number).append(options.unit.empty() ? "" : " ");
    if (b.text.empty()) value.append(options.unit);
    const auto padding = static_cast<std::size_t>(label_width - columns(b.label));
    chart.append(b.label).append(padding, ' ').append("  ").append(drawn);
    chart.append(drawn.empty() ? "" : " ").append(value).append("\n");
  }
  return chart;
}

}  // namespace tut
