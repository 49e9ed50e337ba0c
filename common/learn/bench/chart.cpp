#include "learn/bench/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "learn/bench/bound.hpp"
#include "learn/bench/limit.hpp"

namespace tut::learn {
namespace {

constexpr int bar_columns = 24;

/// One line of a chart: a label, a bar, and columns of text.
struct Line {
  std::string label;
  double value = 0;
  std::vector<std::string> columns;
  bool rival = false;
  std::string error;
};

int width_of(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, int width, bool right = false) {
  const std::string blanks(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ');
  return right ? blanks + text : text + blanks;
}

/// A bar of `share` of all columns: full for a step, hatched for a rival.
std::string bar_text(double share, bool rival, bool utf8) {
  static constexpr std::array<const char*, 8> parts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths =
      std::clamp(static_cast<int>(std::lround(8 * bar_columns * share)), 1, 8 * bar_columns);
  std::string bar;
  const char* full = rival ? (utf8 ? "▒" : "=") : (utf8 ? "█" : "#");
  const bool has_parts = utf8 && !rival;
  const int whole = has_parts ? eighths / 8 : std::max(1, (eighths + 4) / 8);
  for (int i = 0; i < whole; ++i) bar += full;
  if (has_parts) bar += parts[static_cast<std::size_t>(eighths % 8)];
  return bar;
}

std::string chart(const std::vector<Line>& lines, const ChartStyle& how) {
  int label_width = 0;
  double largest = 0;
  std::vector<int> widths;
  for (const Line& line : lines) {
    label_width = std::max(label_width, width_of(line.label));
    largest = std::max(largest, line.value);
    widths.resize(std::max(widths.size(), line.columns.size()));
    for (std::size_t i = 0; i < line.columns.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(line.columns[i]));
    }
  }
  std::string text;
  for (const Line& line : lines) {
    std::string bar = line.value > 0 ? bar_text(line.value / largest, line.rival, how.utf8) : "";
    bar = padded(bar, bar_columns);
    std::string row = fmt::format("  {}  {}", padded(line.label, label_width),
                                  line.rival ? how.style.yellow(bar) : how.style.cyan(bar));
    for (std::size_t i = 0; i < line.columns.size(); ++i) {
      const bool last = i + 1 == line.columns.size();
      row +=
          "  " + (last ? how.style.dim(line.columns[i]) : padded(line.columns[i], widths[i], true));
    }
    if (!line.error.empty()) row += "  " + how.style.red(line.error);
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string ratio_text(const ResultRow& row, const ResultRow* rival) {
  if (rival == nullptr) return "";
  if (&row == rival) return "rival";
  return fmt::format("{:.3g} x", rival->median_seconds() / row.median_seconds());
}

Line time_line(const ResultRow& row, const ResultRow* rival, bool by_flops,
               const Results& results) {
  Line line{row.step, 0, {}, row.rival, row.error};
  if (row.seconds.empty()) return line;
  const double seconds = row.median_seconds();
  const double work = by_flops ? row.flops : row.bytes;
  line.value = 1 / seconds;
  line.columns = {amount(seconds, "s"),
                  work > 0 ? amount(work / seconds, by_flops ? "FLOP/s" : "B/s") : "",
                  ratio_text(row, rival), limit_text(row, results)};
  return line;
}

Line count_line(const ResultRow& row) {
  Line line{row.step, 0, {}, row.rival, row.error};
  if (!row.counted) return line;
  const CountedRow& counted = *row.counted;
  line.value = counted.bytes_moved;
  line.columns = {amount(counted.bytes_moved, "B"),
                  row.flops > 0 ? fmt::format("{:.3g} FLOP/B", counted.flops_per_byte) : "",
                  fmt::format("{:.3g} sectors/request", counted.sectors_per_request()),
                  fmt::format("{:.0f} bank conflicts", counted.bank_conflicts)};
  if (counted.atomic_repeats > 0) {
    line.columns.back() += fmt::format(", {:.0f} atomics had to wait", counted.atomic_repeats);
  }
  return line;
}

std::string bound_words(const ResultRow& row, const Bound& bound, const Results& results) {
  if (bound.by_bytes) return "bytes: " + amount(results.roof("memory"), "B/s");
  return fmt::format("FLOPs: {} of {}", amount(results.roof(row.arithmetic), "FLOP/s"),
                     arithmetic_words(row.arithmetic));
}

/// A row that moves so many bytes, by its bound; `first` is the bound of the ladder's first row.
Line bound_line(const std::string& label, const ResultRow& row, double bytes_moved,
                std::optional<double>& first, const Results& results) {
  Line line{label, 0, {}, row.rival, row.error};
  const std::optional<Bound> bound = bound_of(row, bytes_moved, results);
  if (!bound) line.error = "the GPU has no " + arithmetic_words(row.arithmetic);
  if (!line.error.empty()) return line;
  if (!first) first = bound->seconds;
  const bool has_flops = row.flops > 0;
  const double work = has_flops ? row.flops : row.bytes;
  line.value = 1 / bound->seconds;
  line.columns = {work > 0 ? amount(work / bound->seconds, has_flops ? "FLOP/s" : "B/s") : "",
                  has_flops ? fmt::format("{:.3g} FLOP/B", row.flops / bytes_moved) : "",
                  fmt::format("{:.3g} x", *first / bound->seconds),
                  bound_words(row, *bound, results)};
  return line;
}

/// The counted rows of a ladder as if each byte moved once: one for each arithmetic and number of
/// bytes.
std::vector<ResultRow> rows_of_least_bytes(const ResultLadder& ladder) {
  std::vector<ResultRow> least;
  for (const ResultRow& row : ladder.rows) {
    const bool known = std::ranges::any_of(least, [&](const ResultRow& other) {
      return other.arithmetic == row.arithmetic && other.bytes == row.bytes;
    });
    if (row.counted && row.bytes > 0 && !known) least.push_back(row);
  }
  for (ResultRow& row : least) {
    row.rival = true;
    row.step = "the least bytes";
    const std::string words = arithmetic_words(row.arithmetic);
    if (least.size() > 1) row.step += ", " + words.substr(0, words.find(" on "));
  }
  return least;
}

}  // namespace

std::string time_charts(const Results& results, const ChartStyle& how) {
  std::string text;
  for (const ResultLadder& ladder : ladders_of(results)) {
    const bool by_flops = counts_flops(ladder, results);
    const ResultRow* rival = ladder.rival();
    std::vector<Line> lines;
    for (const ResultRow& row : ladder.rows) {
      lines.push_back(time_line(row, rival, by_flops, results));
    }
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", how.style.bold(ladder.title()),
                        chart(lines, how));
  }
  return text;
}

std::string count_charts(const Results& results, const ChartStyle& how) {
  std::string text;
  for (const ResultLadder& ladder : ladders_of(results)) {
    std::vector<Line> lines;
    double least = 0;
    for (const ResultRow& row : ladder.rows) {
      if (!row.counted && row.error.empty()) continue;  // a library's own kernels
      lines.push_back(count_line(row));
      if (row.bytes > 0) least = least > 0 ? std::min(least, row.bytes) : row.bytes;
    }
    if (lines.empty()) continue;
    if (least > 0) {
      lines.push_back({"the least there is", least, {amount(least, "B"), "", "", ""}, true, ""});
    }
    text += fmt::format("{}{}: bytes moved\n{}", text.empty() ? "" : "\n",
                        how.style.bold(ladder.title()), chart(lines, how));
  }
  return text;
}

std::string bound_charts(const Results& results, const ChartStyle& how) {
  std::string text;
  for (const ResultLadder& ladder : ladders_of(results)) {
    std::vector<Line> lines;
    std::optional<double> first;
    for (const ResultRow& row : ladder.rows) {
      if (!row.counted && row.error.empty()) continue;  // a library's own kernels
      const double moved = row.counted ? row.counted->bytes_moved : 0;
      lines.push_back(bound_line(row.step, row, moved, first, results));
    }
    for (const ResultRow& row : rows_of_least_bytes(ladder)) {
      if (bound_of(row, results)) {
        lines.push_back(bound_line(row.step, row, row.bytes, first, results));
      }
    }
    if (lines.empty()) continue;
    text += fmt::format("{}{}: bound, not measured\n{}", text.empty() ? "" : "\n",
                        how.style.bold(ladder.title()), chart(lines, how));
  }
  return text;
}

std::string byte_chart(const std::vector<ByteRow>& rows, const ChartStyle& how) {
  std::vector<Line> lines;
  for (const ByteRow& row : rows) {
    const bool known = row.error.empty();
    lines.push_back(
        {row.label, row.bytes, {known ? amount(row.bytes, "B") : ""}, row.rival, row.error});
  }
  return chart(lines, how);
}

}  // namespace tut::learn
