#include "learn/bench/label_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

// The average width of a character in a wide sans-serif font, as a share of the font size.
constexpr double character_width = 0.6;

/// Which side of the line through a and b the point is on: the sign.
double side_of(double ax, double ay, double bx, double by, double x, double y) {
  return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
}

using Corner = TurnedBox::Corner;

std::array<Corner, 4> corners_of(const Box& box) {
  return {
      {{box.left, box.top}, {box.right, box.top}, {box.right, box.bottom}, {box.left, box.bottom}}};
}

/// Whether a line along a side of the first shape has the shapes on its two sides.
bool has_side_between(std::span<const Corner> one, std::span<const Corner> other) {
  for (std::size_t i = 0; i < one.size(); ++i) {
    const Corner &a = one[i], &b = one[(i + 1) % one.size()];
    const auto reach = [&](std::span<const Corner> shape) {
      double least = 1e300, most = -1e300;
      for (const Corner& corner : shape) {
        const double side = side_of(a.x, a.y, b.x, b.y, corner.x, corner.y);
        least = std::min(least, side);
        most = std::max(most, side);
      }
      return std::pair(least, most);
    };
    const auto [least, most] = reach(one);
    const auto [other_least, other_most] = reach(other);
    if (other_least >= most || other_most <= least) return true;
  }
  return false;
}

/// Two convex shapes; what lies side by side does not meet.
bool meet(std::span<const Corner> a, std::span<const Corner> b) {
  return !has_side_between(a, b) && !has_side_between(b, a);
}

}  // namespace

TurnedBox::TurnedBox(const Box& box, double degrees, double x, double y)
    : corners(corners_of(box)) {
  const double angle = degrees * std::numbers::pi / 180;
  for (Corner& corner : corners) {
    const double right = corner.x - x, down = corner.y - y;
    corner = {x + right * std::cos(angle) - down * std::sin(angle),
              y + right * std::sin(angle) + down * std::cos(angle)};
  }
}

bool TurnedBox::overlaps(const Box& box) const { return meet(corners, corners_of(box)); }

bool TurnedBox::overlaps(const TurnedBox& other) const { return meet(corners, other.corners); }

bool TurnedBox::is_crossed_by(const Segment& segment) const {
  return meet(corners, std::array<Corner, 2>{{{segment.x1, segment.y1}, {segment.x2, segment.y2}}});
}

bool TurnedBox::is_inside(const Box& box) const {
  return std::ranges::all_of(corners, [&](const Corner& c) { return box.has(c.x, c.y); });
}

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
  const auto lies_on = [&](const TurnedBox& other) { return other.overlaps(box); };
  return frame_.contains(box) && std::ranges::none_of(turned_, lies_on) &&
         std::ranges::none_of(boxes_, meets) && std::ranges::none_of(segments_, crosses) &&
         std::ranges::none_of(leaders_, crosses);
}

bool LabelLayout::is_free(const Segment& leader, double x, double y) const {
  const auto meets = [&](const Box& box) { return !box.has(x, y) && leader.crosses(box); };
  const auto crosses = [&](const Segment& other) { return leader.crosses(other); };
  const auto lies_on = [&](const TurnedBox& box) { return box.is_crossed_by(leader); };
  return std::ranges::none_of(boxes_, meets) && std::ranges::none_of(turned_, lies_on) &&
         std::ranges::none_of(leaders_, crosses);
}

bool LabelLayout::take(const Box& box) {
  if (!is_free(box)) return false;
  boxes_.push_back(box);
  return true;
}

bool LabelLayout::take(const TurnedBox& box) {
  const auto meets = [&](const auto& other) { return box.overlaps(other); };
  const auto crosses = [&](const Segment& line) { return box.is_crossed_by(line); };
  if (!box.is_inside(frame_) || std::ranges::any_of(boxes_, meets) ||
      std::ranges::any_of(turned_, meets) || std::ranges::any_of(segments_, crosses) ||
      std::ranges::any_of(leaders_, crosses)) {
    return false;
  }
  turned_.push_back(box);
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
