#include "learn/bench/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "learn/bench/limit.hpp"
#include "tut/text/svg.hpp"

namespace tut::learn {
namespace {

constexpr int width = 900;
// Told apart by their lightness too.
constexpr const char* step_colour = "#2171b5";
constexpr const char* rival_colour = "#fdae6b";

std::string rectangle(double x, double y, double w, double h, const char* fill) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                     svg::number(x), svg::number(y), svg::number(w), svg::number(h), fill);
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
  return fmt::format("<path d=\"M{} {}L{} {}\" fill=\"none\" {}/>\n", svg::number(x1),
                     svg::number(y1), svg::number(x2), svg::number(y2), style);
}

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
    out += rectangle(left, y + 2, length, step - 8, bar.rival ? rival_colour : step_colour);
    out += svg::text(left + length + 8, y + 15, 12, "start", bar.text);
    y += step;
  }
  y += step / 2;
  return out;
}

struct Point {
  std::string label;
  double x, y;
  bool rival;
};

/// A range of whole powers of ten.
struct LogAxis {
  int low, high;
  double from, to;  // in the picture

  static LogAxis over(double least, double largest, double from, double to) {
    const int low = static_cast<int>(std::floor(std::log10(least)));
    const int high = static_cast<int>(std::ceil(std::log10(largest)));
    return {low, std::max(high, low + 1), from, to};
  }
  double at(double value) const {
    return from + (std::log10(value) - low) / (high - low) * (to - from);
  }
};

constexpr double plot_left = 90, plot_right = 560, plot_top = 60, plot_bottom = 420;
constexpr int plot_height = 480;

std::string draw_axes(const LogAxis& x, const LogAxis& y, const char* x_label, const char* x_unit,
                      const char* y_label, const char* y_unit) {
  std::string out;
  const auto tick = [](int power, const char* unit) {
    const double value = std::pow(10.0, power);
    return power < 0 ? fmt::format("{:g}{}", value, *unit ? std::string(" ") + unit : "")
                     : amount(value, unit);
  };
  for (int power = x.low; power <= x.high; ++power) {
    const double at = x.at(std::pow(10.0, power));
    out += line(at, plot_top, at, plot_bottom, "stroke=\"#ddd\"");
    out += svg::text(at, plot_bottom + 18, 12, "middle", tick(power, x_unit));
  }
  for (int power = y.low; power <= y.high; ++power) {
    const double at = y.at(std::pow(10.0, power));
    out += line(plot_left, at, plot_right, at, "stroke=\"#ddd\"");
    out += svg::text(plot_left - 8, at + 4, 12, "end", tick(power, y_unit));
  }
  out += svg::text((plot_left + plot_right) / 2, plot_bottom + 42, 13, "middle", x_label);
  return out + svg::text(plot_left, plot_top - 12, 13, "start", y_label);
}

/// The points with their numbers, and the list of what these mean. Points at one place share their
/// numbers' line.
std::string draw_points(const std::vector<Point>& points, const LogAxis& x, const LogAxis& y) {
  std::string out;
  const auto are_together = [&](const Point& a, const Point& b) {
    return std::hypot(x.at(a.x) - x.at(b.x), y.at(a.y) - y.at(b.y)) < 8;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& p = points[i];
    const char* colour = p.rival ? rival_colour : step_colour;
    out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"5\" fill=\"{}\" stroke=\"#222\"/>\n",
                       svg::number(x.at(p.x)), svg::number(y.at(p.y)), colour);
    const double row = plot_top + 8 + 20 * static_cast<double>(i);
    out += fmt::format("<circle cx=\"590\" cy=\"{}\" r=\"5\" fill=\"{}\" stroke=\"#222\"/>\n",
                       svg::number(row), colour);
    out += svg::text(602, row + 4, 12, "start", fmt::format("{}  {}", i + 1, p.label), 48);
    std::string numbers;
    bool first = true;
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (!are_together(p, points[j])) continue;
      first = first && j >= i;
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(j + 1);
    }
    // Beside the right edge there is no room.
    const bool left = x.at(p.x) > plot_right - 60;
    if (first) {
      out += svg::text(x.at(p.x) + (left ? -9 : 9), y.at(p.y) + 16, 12, left ? "end" : "start",
                       numbers);
    }
  }
  return out;
}

/// A line y = slope * x, as far as it lies within the axes and below `ceiling`.
std::string draw_slope(double slope, const LogAxis& x, const LogAxis& y, double ceiling,
                       const char* style) {
  const double low = std::max(std::pow(10.0, x.low), std::pow(10.0, y.low) / slope);
  const double high =
      std::min(std::pow(10.0, x.high), std::min(ceiling, std::pow(10.0, y.high)) / slope);
  if (!(low < high)) return "";
  return line(x.at(low), y.at(slope * low), x.at(high), y.at(slope * high), style);
}

/// The last size of each ladder: those before are smaller.
std::vector<ResultLadder> largest_of(const Results& results) {
  std::vector<ResultLadder> ladders;
  for (const ResultLadder& ladder : ladders_of(results)) {
    const auto same = std::ranges::find(ladders, ladder.name, &ResultLadder::name);
    if (same == ladders.end()) {
      ladders.push_back(ladder);
    } else if (ladder.rows.front().flops >= same->rows.front().flops) {
      *same = ladder;
    }
  }
  return ladders;
}

std::vector<Point> points_of(const Results& results) {
  std::vector<Point> points;
  const std::vector<ResultLadder> ladders = largest_of(results);
  for (const ResultLadder& ladder : ladders) {
    for (const ResultRow& row : ladder.rows) {
      const std::string label =
          ladders.size() == 1 ? row.step : fmt::format("{}: {}", ladder.name, row.step);
      if (row.flops <= 0) continue;
      if (results.counted()) {
        if (row.counted) points.push_back({label, row.counted->bytes_moved, row.flops, row.rival});
      } else if (row.bytes > 0 && !row.seconds.empty()) {
        points.push_back(
            {label, row.flops / row.bytes, row.flops / row.median_seconds(), row.rival});
      }
    }
  }
  return points;
}

std::string summary(const std::string& title, const std::vector<Point>& points, bool counted) {
  std::string text = title + ".";
  for (const Point& p : points) {
    text += counted ? fmt::format(" {}: {} for {}, {:.3g} FLOPs a byte.", p.label, amount(p.x, "B"),
                                  amount(p.y, "FLOP"), p.y / p.x)
                    : fmt::format(" {}: {} at {:.3g} FLOPs a byte.", p.label, amount(p.y, "FLOP/s"),
                                  p.x);
  }
  return text;
}

/// Roofs by what bounds the points: name and FLOP/s.
std::map<std::string, double> roofs_of(const Results& results) {
  std::map<std::string, double> roofs;
  for (const ResultRow& row : results.rows) {
    if (row.flops > 0 && results.roof(row.arithmetic) > 0) {
      roofs[row.arithmetic] = results.roof(row.arithmetic);
    }
  }
  return roofs;
}

std::string measured_roofline(const Results& results, const std::string& title,
                              const std::vector<Point>& points) {
  const std::map<std::string, double> roofs = roofs_of(results);
  const double memory = results.roof("memory");
  double left = 1, right = 10, low = 1e18, high = 0;
  for (const Point& p : points) {
    left = std::min(left, p.x);
    right = std::max(right, p.x);
    low = std::min(low, p.y);
    high = std::max(high, p.y);
  }
  for (const auto& [name, roof] : roofs) high = std::max(high, roof);
  const LogAxis x = LogAxis::over(left, right, plot_left, plot_right);
  const LogAxis y = LogAxis::over(low, high, plot_bottom, plot_top);
  std::string out = svg::start(width, plot_height, summary(title, points, false));
  out += svg::text(20, 26, 15, "start", title);
  out += draw_axes(x, y, "FLOPs for each byte that must move", "", "FLOP/s", "FLOP/s");
  double ceiling = 0;
  for (const auto& [name, roof] : roofs) {
    ceiling = std::max(ceiling, roof);
    const double from =
        memory > 0 ? std::max(std::pow(10.0, x.low), roof / memory) : std::pow(10.0, x.low);
    if (from >= std::pow(10.0, x.high)) continue;
    out +=
        line(x.at(from), y.at(roof), plot_right, y.at(roof), "stroke=\"#222\" stroke-width=\"2\"");
    out += svg::text(plot_right - 4, y.at(roof) - 6, 12, "end",
                     fmt::format("{}: {}{}", name, amount(roof, "FLOP/s"), roof_words(name)));
  }
  if (memory > 0 && ceiling > 0) {
    out += draw_slope(memory, x, y, ceiling, "stroke=\"#222\" stroke-width=\"2\"");
    out += svg::text(plot_left + 6, plot_bottom - 8, 12, "start",
                     fmt::format("slope: memory, {}", amount(memory, "B/s")));
  }
  return out + draw_points(points, x, y) + "</svg>\n";
}

std::string counted_roofline(const std::string& title, const std::vector<Point>& points) {
  double left = points[0].x, right = left, low = points[0].y, high = low;
  for (const Point& p : points) {
    left = std::min(left, p.x);
    right = std::max(right, p.x);
    low = std::min(low, p.y);
    high = std::max(high, p.y);
  }
  const LogAxis x = LogAxis::over(left, right, plot_left, plot_right);
  const LogAxis y = LogAxis::over(low, high, plot_bottom, plot_top);
  std::string out = svg::start(width, plot_height, summary(title, points, true));
  out += svg::text(20, 26, 15, "start", title);
  out += draw_axes(x, y, "bytes moved", "B", "FLOPs", "FLOP");
  for (double intensity = 0.015625; intensity <= 4096; intensity *= 4) {
    const std::string drawn =
        draw_slope(intensity, x, y, 1e300, "stroke=\"#888\" stroke-dasharray=\"6 4\"");
    if (drawn.empty()) continue;
    const double end = std::min(std::pow(10.0, x.high), std::pow(10.0, y.high) / intensity);
    out += drawn + svg::text(x.at(end) - 4, y.at(intensity * end) + 14, 11, "end",
                             fmt::format("{:g} FLOP/B", intensity));
  }
  return out + draw_points(points, x, y) + "</svg>\n";
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

std::string roofline_plot(const Results& results, const std::string& title) {
  const std::vector<Point> points = points_of(results);
  if (points.empty()) return "";
  return results.counted() ? counted_roofline(title, points)
                           : measured_roofline(results, title, points);
}

}  // namespace tut::learn
