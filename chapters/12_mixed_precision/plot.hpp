/// \file
/// Line plots as SVG text: the same numbers give the same bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tut::ch12 {

/// A picture that grows element by element.
class Svg {
 public:
  Svg(int width, int height, const std::string& title);
  void line(double x1, double y1, double x2, double y2, const char* colour);
  void rectangle(double x, double y, double width, double height, const char* fill,
                 const char* stroke = "none");
  /// `anchor` is start, middle or end.
  void text(double x, double y, const std::string& words, const char* anchor = "start",
            const char* colour = "#222", int size = 12);
  void polyline(const std::vector<std::pair<double, double>>& points, const char* colour,
                bool dashed = false);
  /// The whole file.
  std::string str() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

struct PlotLine {
  std::string label;
  const char* colour;
  std::vector<std::pair<double, double>> points;  // of the logarithms
  bool dashed = false;
};

/// A tick: where on the axis, and what it says.
struct Tick {
  double at;
  std::string label;
};

struct Axis {
  double lowest, highest;
  std::vector<Tick> ticks;
  std::string label;
};

/// Lines over axes, each with its label at its right end.
std::string line_plot(const std::string& title, const Axis& x, const Axis& y,
                      const std::vector<PlotLine>& lines);

}  // namespace tut::ch12
