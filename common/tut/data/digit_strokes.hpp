#pragma once

#include <span>
#include <vector>

namespace tut::data {

/// A point of the unit square a digit is written in: x to the right, y downwards.
struct Point {
  float x, y;
};

/// How a pen moves through its points.
enum class Curve {
  straight,  ///< from each point straight to the next
  smooth,    ///< along a Catmull-Rom spline through all of them
  loop       ///< the same, and back to the first point
};

/// One movement of the pen.
struct Stroke {
  Curve curve;
  std::vector<Point> points;
};

/// One way to write a digit.
struct Glyph {
  std::vector<Stroke> strokes;
};

/// The ways to write `digit` (0 to 9): open and closed fours, sevens with and without a bar, and so
/// on.
std::span<const Glyph> ways_to_write(int digit);

}  // namespace tut::data
