#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tut::learn {

/// A rectangle of a picture: y grows downwards.
struct Box {
  double left, top, right, bottom;

  bool overlaps(const Box& other) const;
  bool contains(const Box& other) const;
  bool has(double x, double y) const;
};

struct Segment {
  double x1, y1, x2, y2;

  bool crosses(const Box& box) const;
  bool crosses(const Segment& other) const;
};

/// A box that was turned, by its corners in their order.
struct TurnedBox {
  struct Corner {
    double x, y;
  };
  std::array<Corner, 4> corners;

  /// The box, turned clockwise about a point.
  TurnedBox(const Box& box, double degrees, double x, double y);

  bool overlaps(const Box& box) const;
  bool overlaps(const TurnedBox& other) const;
  bool is_crossed_by(const Segment& segment) const;
  bool is_inside(const Box& box) const;
};

/// The place that a line of text takes at most, whatever sans-serif font a browser has: `baseline`
/// and `anchor` (start, middle, end) are SVG's.
Box text_box(double x, double baseline, int font_size, std::string_view anchor,
             std::string_view text);

/// A label where there is room: its first line's place, and a line to what it names where it is not
/// beside it. Further lines of text stand `label_line_height` of the font size lower each.
struct PlacedLabel {
  double x, baseline;
  std::string anchor;
  Box box;
  std::optional<Segment> leader;
};

inline constexpr double label_line_height = 1.25;

/// Finds places for labels one after the other, so that none lies on another or on what has to
/// stay visible. The same calls give the same places.
class LabelLayout {
 public:
  explicit LabelLayout(const Box& frame) : frame_(frame) {}

  void keep_clear(const Box& box) { boxes_.push_back(box); }
  void keep_clear(const Segment& segment) { segments_.push_back(segment); }

  /// Takes a place of one's own choice, if it is free.
  bool take(const Box& box);
  bool take(const TurnedBox& box);

  /// The nearest free place for what names the point, on its right if there is a choice, or on its
  /// left; nothing where none is near. The place is taken from then on. A line to it crosses
  /// another only where there is no other place.
  std::optional<PlacedLabel> place(double x, double y, int font_size,
                                   std::span<const std::string> lines, bool prefer_left = false);
  std::optional<PlacedLabel> place(double x, double y, int font_size, const std::string& line,
                                   bool prefer_left = false) {
    return place(x, y, font_size, std::span(&line, 1), prefer_left);
  }

 private:
  bool is_free(const Box& box) const;
  /// Whether a line from the point meets nothing but what is at the point.
  bool is_free(const Segment& leader, double x, double y) const;

  Box frame_;
  std::vector<Box> boxes_;
  std::vector<TurnedBox> turned_;
  std::vector<Segment> segments_;  // never under a text
  std::vector<Segment> leaders_;   // nor under a text or another leader
};

}  // namespace tut::learn
