#include "learn/bench/label_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

// Of the font size, what a character of a wide sans-serif font takes on average.
constexpr double character_width = 0.6;

/// Which side of the line through a and b the point is on: the sign.
double side_of(double ax, double ay, double bx, double by, double x, double y) {
  return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
}

}  // namespace

bool Box::overlaps(const Box& other) const {
  return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
}

bool Box::contains(const Box& other) const {
  return left <= other.left && other.right <= right && top <= other.top && other.bottom <= bottom;
}

bool Box::has(double x, double y) const {
  return left <= x && x <= right && top <= y && y <= bottom;
}

bool Segment::crosses(const Segment& o) const {
  const double a = side_of(x1, y1, x2, y2, o.x1, o.y1), b = side_of(x1, y1, x2, y2, o.x2, o.y2);
  const double c = side_of(o.x1, o.y1, o.x2, o.y2, x1, y1);
  const double d = side_of(o.x1, o.y1, o.x2, o.y2, x2, y2);
  return a * b < 0 && c * d < 0;
}

bool Segment::crosses(const Box& box) const {
  if (box.has(x1, y1) || box.has(x2, y2)) return true;
  const std::array<Segment, 2> diagonals = {Segment{box.left, box.top, box.right, box.bottom},
                                            Segment{box.left, box.bottom, box.right, box.top}};
  return std::ranges::any_of(diagonals, [&](const Segment& d) { return crosses(d); });
}

Box text_box(double x, double baseline, int font_size, std::string_view anchor,
             std::string_view text) {
  const double width = character_width * font_size * columns_of(text);
  const double left = anchor == "start" ? x : anchor == "end" ? x - width : x - width / 2;
  return {left, baseline - 0.85 * font_size, left + width, baseline + 0.25 * font_size};
}

bool LabelLayout::is_free(const Box& box) const {
  const auto meets = [&](const Box& other) { return other.overlaps(box); };
  const auto crosses = [&](const Segment& line) { return line.crosses(box); };
  return frame_.contains(box) && std::ranges::none_of(boxes_, meets) &&
         std::ranges::none_of(segments_, crosses) && std::ranges::none_of(leaders_, crosses);
}

bool LabelLayout::is_free(const Segment& leader, double x, double y) const {
  const auto meets = [&](const Box& box) { return !box.has(x, y) && leader.crosses(box); };
  const auto crosses = [&](const Segment& other) { return leader.crosses(other); };
  return std::ranges::none_of(boxes_, meets) && std::ranges::none_of(leaders_, crosses);
}

bool LabelLayout::take(const Box& box) {
  if (!is_free(box)) return false;
  boxes_.push_back(box);
  return true;
}

std::optional<PlacedLabel> LabelLayout::place(double x, double y, int font_size,
                                              std::span<const std::string> lines,
                                              bool prefer_left) {
  constexpr double step = 5;
  const std::string& longest = *std::ranges::max_element(lines, {}, columns_of);
  const double more = label_line_height * font_size * static_cast<double>(lines.size() - 1);
  std::optional<PlacedLabel> best;
  double best_cost = 0;
  bool any_leader = false;  // where points are crowded, better than no label
  const auto consider = [&](double gap, double shift, bool left) {
    const double cost = std::abs(shift) + gap + (left == prefer_left ? 0 : 12);
    if (best && cost >= best_cost) return;
    PlacedLabel label{x + (left ? -gap : gap),
                      y + shift + 0.3 * font_size - more / 2,
                      left ? "end" : "start",
                      {},
                      std::nullopt};
    label.box = text_box(label.x, label.baseline, font_size, label.anchor, longest);
    label.box.bottom += more;
    if (gap > 9 || std::abs(shift) > 10) {
      label.leader = Segment{x, y, label.x + (left ? 2 : -2), y + shift};
    }
    if (!is_free(label.box)) return;
    if (label.leader && !any_leader && !is_free(*label.leader, x, y)) return;
    best = label;
    best_cost = cost;
  };
  const auto search = [&] {
    for (const double gap : {9.0, 24.0, 42.0, 64.0, 90.0}) {
      for (int i = -30; i <= 30; ++i) {
        for (const bool left : {false, true}) consider(gap, step * i, left);
      }
    }
  };
  search();
  if (!best) {
    any_leader = true;
    search();
  }
  if (!best) return std::nullopt;
  boxes_.push_back(best->box);
  if (best->leader) leaders_.push_back(*best->leader);
  return best;
}

}  // namespace tut::learn
