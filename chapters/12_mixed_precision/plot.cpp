#include "12_mixed_precision/plot.hpp"

#include <algorithm>
#include <numeric>

#include "tut/text/svg.hpp"

namespace tut::ch12 {
namespace {

using svg::number;

// Where the axes stand in the picture.
constexpr int WIDTH = 900, HEIGHT = 420;
constexpr double LEFT = 80, RIGHT = 560, TOP = 40, BOTTOM = 360;

double map(const Axis& axis, double value, double from, double to) {
  return from + (value - axis.lowest) / (axis.highest - axis.lowest) * (to - from);
}

void draw_axes(Svg& svg, const Axis& x, const Axis& y) {
  for (const Tick& tick : x.ticks) {
    const double at = map(x, tick.at, LEFT, RIGHT);
    svg.line(at, TOP, at, BOTTOM, "#ddd");
    svg.text(at, BOTTOM + 18, tick.label, "middle");
  }
  for (const Tick& tick : y.ticks) {
    const double at = map(y, tick.at, BOTTOM, TOP);
    svg.line(LEFT, at, RIGHT, at, "#ddd");
    svg.text(LEFT - 8, at + 4, tick.label, "end");
  }
  svg.line(LEFT, BOTTOM, RIGHT, BOTTOM, "#222");
  svg.line(LEFT, TOP, LEFT, BOTTOM, "#222");
  svg.text((LEFT + RIGHT) / 2, BOTTOM + 44, x.label, "middle", "#222", 13);
  svg.text(LEFT, TOP - 16, y.label, "start", "#222", 13);
}

/// Heights of the labels: those of the lines' ends, moved apart where they would overlap.
std::vector<double> label_heights(const std::vector<double>& ends) {
  constexpr double APART = 17;
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) { return ends[i] < ends[j]; });
  std::vector<double> heights = ends;
  for (std::size_t i = 1; i < order.size(); ++i) {
    heights[order[i]] = std::max(heights[order[i]], heights[order[i - 1]] + APART);
  }
  return heights;
}

}  // namespace

Svg::Svg(int width, int height, const std::string& title) {
  const std::string size = std::to_string(width) + " " + std::to_string(height);
  body_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size +
          "\" font-family=\"sans-serif\" role=\"img\">\n<title>" + title + "</title>\n";
  rectangle(0, 0, width, height, "#fff");
}

void Svg::line(double x1, double y1, double x2, double y2, const char* colour) {
  body_ += "<path d=\"M" + number(x1) + " " + number(y1) + "L" + number(x2) + " " + number(y2) +
           "\" stroke=\"" + colour + "\"/>\n";
}

void Svg::rectangle(double x, double y, double width, double height, const char* fill,
                    const char* stroke) {
  body_ += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) +
           "\" height=\"" + number(height) + "\" fill=\"" + fill + "\" stroke=\"" + stroke +
           "\"/>\n";
}

void Svg::text(double x, double y, const std::string& words, const char* anchor, const char* colour,
               int size) {
  body_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" font-size=\"" +
           std::to_string(size) + "\" text-anchor=\"" + anchor + "\" fill=\"" + colour + "\">" +
           words + "</text>\n";
}

void Svg::polyline(const std::vector<std::pair<double, double>>& points, const char* colour,
                   bool dashed) {
  std::string list;
  for (const auto& [x, y] : points) {
    list += (list.empty() ? "" : " ") + number(x) + "," + number(y);
  }
  body_ += "<polyline points=\"" + list + "\" fill=\"none\" stroke=\"" + colour +
           "\" stroke-width=\"2\"" + (dashed ? " stroke-dasharray=\"6 4\"" : "") + "/>\n";
}

std::string line_plot(const std::string& title, const Axis& x, const Axis& y,
                      const std::vector<PlotLine>& lines) {
  Svg svg(WIDTH, HEIGHT, title);
  draw_axes(svg, x, y);
  std::vector<double> ends;
  for (const PlotLine& line : lines) {
    std::vector<std::pair<double, double>> points;
    for (const auto& [at, value] : line.points) {
      points.emplace_back(map(x, at, LEFT, RIGHT), map(y, value, BOTTOM, TOP));
    }
    svg.polyline(points, line.colour, line.dashed);
    ends.push_back(points.back().second);
  }
  const std::vector<double> heights = label_heights(ends);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    svg.text(RIGHT + 12, heights[i] + 4, lines[i].label, "start", lines[i].colour);
  }
  return svg.str();
}

}  // namespace tut::ch12
