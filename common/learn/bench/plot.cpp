#include "learn/bench/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "learn/bench/limit.hpp"
#include "tut/text/svg.hpp"

namespace tut::learn {
namespace {

constexpr int width = 900;
// Told apart by their lightness too.
constexpr const char* step_colour = "#2171b5";
constexpr const char* rival_colour = "#fdae6b";

/// A bar of a ladder.
struct PlotBar {
  std::string label, text;
  double value = 0;
  bool rival = false;
};

std::vector<PlotBar> time_bars(const ResultLadder& ladder, const Results& results) {
  const bool by_flops = counts_flops(ladder, results);
  std::vector<PlotBar> bars;
  for (const ResultRow& row : ladder.rows) {
    if (row.seconds.empty()) continue;
    const double seconds = row.median_seconds();
    const double work = by_flops ? row.flops : row.bytes;
    std::string text =
        work > 0 ? amount(work / seconds, by_flops ? "FLOP/s" : "B/s") : amount(seconds, "s");
    const std::string limit = limit_text(row, results);
    if (!limit.empty()) text += "; " + limit;
    bars.push_back({row.step, text, 1 / seconds, row.rival});
  }
  return bars;
}

std::vector<PlotBar> count_bars(const ResultLadder& ladder) {
  std::vector<PlotBar> bars;
  double least = 0;
  for (const ResultRow& row : ladder.rows) {
    if (!row.counted) continue;
    const CountedRow& counted = *row.counted;
    bars.push_back({row.step,
                    fmt::format("{}; {:.3g} sectors a request; {:.0f} bank conflicts",
                                amount(counted.bytes_moved, "B"), counted.sectors_per_request(),
                                counted.bank_conflicts),
                    counted.bytes_moved, row.rival});
    if (row.bytes > 0) least = least > 0 ? std::min(least, row.bytes) : row.bytes;
  }
  if (!bars.empty() && least > 0)
    bars.push_back({"the least there is", amount(least, "B"), least, true});
  return bars;
}

/// One ladder from height `y` on; its height comes back in `y`.
std::string draw_bars(const std::string& title, const std::vector<PlotBar>& bars, double& y) {
  constexpr double left = 250, longest = 300, step = 26;
  double largest = 0;
  for (const PlotBar& bar : bars) largest = std::max(largest, bar.value);
  std::string out = svg::text(20, y + 16, 14, "start", title);
  y += step;
  for (const PlotBar& bar : bars) {
    const double length = std::max(1.0, longest * bar.value / largest);
    out += svg::text(left - 8, y + 15, 13, "end", bar.label, 34);
    out += svg::rectangle(left, y + 2, length, step - 8, bar.rival ? rival_colour : step_colour);
    out += svg::text(left + length + 8, y + 15, 12, "start", bar.text);
    y += step;
  }
  y += step / 2;
  return out;
}

}  // namespace

std::string ladder_plot(const Results& results, const std::string& title) {
  double y = 44;
  std::string body, words = title + ".";
  for (const ResultLadder& ladder : ladders_of(results)) {
    const std::vector<PlotBar> bars =
        results.counted() ? count_bars(ladder) : time_bars(ladder, results);
    if (bars.empty()) continue;
    const std::string heading = ladder.title() + (results.counted() ? ": bytes moved" : "");
    body += draw_bars(heading, bars, y);
    words += " " + heading + ":";
    for (const PlotBar& bar : bars) words += fmt::format(" {} {};", bar.label, bar.text);
  }
  if (body.empty()) return "";
  return svg::start(width, static_cast<int>(y) + 4, words) + svg::text(20, 26, 15, "start", title) +
         body + "</svg>\n";
}

}  // namespace tut::learn
