#include "learn/bench/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <vector>

#include "learn/bench/label_layout.hpp"
#include "learn/bench/limit.hpp"
#include "learn/bench/roofline_model.hpp"
#include "tut/text/svg.hpp"

namespace tut::learn {
namespace {

constexpr int picture_width = 900, small_font = 12, list_font = 11;
constexpr double frame_left = 100, frame_right = 870, frame_top = 92, frame_bottom = 452;
constexpr double list_top = frame_bottom + 90, list_step = 20;
// Told apart by their lightness too.
constexpr const char* dot_colour = "#2171b5";
constexpr const char* rival_dot_colour = "#fdae6b";
constexpr const char* rival_ring_colour = "#d94801";
// More names than that do not fit beside their dots.
constexpr std::size_t most_names = 10;

/// From `first` to `last`, of which the logarithms are as far apart as the places in the picture.
struct LogAxis {
  double first, last;
  double from, to;  // in the picture

  double at(double value) const {
    return from + std::log(value / first) / std::log(last / first) * (to - from);
  }
  /// The powers of ten that it has.
  std::vector<double> ticks() const {
    std::vector<double> powers;
    for (int i = static_cast<int>(std::floor(std::log10(first))); std::pow(10.0, i) <= last; ++i) {
      if (std::pow(10.0, i) >= first) powers.push_back(std::pow(10.0, i));
    }
    return powers;
  }
};

/// Draws a roofline. With `listed`, dots have numbers, and their names stand in a list.
class RooflinePicture {
 public:
  RooflinePicture(const Roofline& roofline, bool listed)
      : roofline_(roofline),
        listed_(listed),
        x_(x_axis(roofline)),
        y_(y_axis(roofline)),
        layout_({frame_left, frame_top, frame_right, frame_bottom}) {}

  /// Nothing where a name finds no place; a number that finds none is left out.
  std::optional<std::string> draw();

 private:
  static LogAxis x_axis(const Roofline& roofline);
  static LogAxis y_axis(const Roofline& roofline);
  double x_of(const Dot& dot) const { return x_.at(dot.intensity); }
  double y_of(const Dot& dot) const { return y_.at(dot.rate); }
  std::size_t list_rows() const { return (roofline_.dots.size() + 1) / 2; }

  void draw_axes();
  void draw_regions();
  void draw_roofs();
  void draw_ridges();
  void draw_dot(double x, double y, const Dot& dot);
  /// Where a slope of so many bytes/s begins in the picture, in FLOPs for each byte.
  double start_of_slope(double rate) const { return std::max(x_.first, y_.first / rate); }
  Segment slope_of(double rate) const;
  /// A slope's name along it, where there is room.
  bool name_along(const Slope& slope);
  void name_slopes();
  void name_roofs();
  void name_ridges();
  std::vector<std::vector<std::size_t>> groups_of_dots() const;
  void name_dots();
  void draw_list();
  void add_line(const Segment& s, const char* style) {
    out_ += svg::line(s.x1, s.y1, s.x2, s.y2, style);
  }
  /// A label near a point; where there is no room, the picture fails.
  void add_label(double x, double y, const std::vector<std::string>& lines, bool prefer_left);
  /// Lines of text in a box, of which the ground is taken away.
  void draw_lines(const Box& box, double x, double baseline, const std::string& anchor,
                  const std::vector<std::string>& lines);
  /// The name of a roof at this height, where there is room.
  bool name_roof(double y, const std::vector<std::string>& lines);
  std::string summary() const;

  const Roofline& roofline_;
  bool listed_;
  LogAxis x_, y_;
  LabelLayout layout_;
  std::string out_;
  bool fits_ = true;
};

LogAxis RooflinePicture::x_axis(const Roofline& roofline) {
  double least = roofline.ridge(roofline.roofs.front()) / 200;
  double largest = roofline.ridge(roofline.roofs.back()) * 60;
  // Names of dots have two lines, and room on the left, if they say where bytes come from.
  const double room = roofline.has_traffic() ? 0.25 : 0.7;
  for (const Dot& dot : roofline.dots) {
    least = std::min(least, room * dot.intensity);
    largest = std::max(largest, 2 * dot.intensity);
  }
  return LogAxis{least, largest, frame_left, frame_right};
}

LogAxis RooflinePicture::y_axis(const Roofline& roofline) {
  double least = roofline.roofs.front().rate / 20, largest = roofline.roofs.back().rate * 2;
  for (const Dot& dot : roofline.dots) {
    least = std::min(least, 0.6 * dot.rate);
    largest = std::max(largest, 1.2 * dot.rate);
  }
  return LogAxis{least, largest, frame_bottom, frame_top};
}

void RooflinePicture::draw_axes() {
  for (const double power : x_.ticks()) {
    const double at = x_.at(power);
    add_line({at, frame_top, at, frame_bottom}, "stroke=\"#ddd\"");
    out_ += svg::text(at, frame_bottom + 18, small_font, "middle", fmt::format("{:g}", power));
  }
  for (const double power : y_.ticks()) {
    const double at = y_.at(power);
    add_line({frame_left, at, frame_right, at}, "stroke=\"#ddd\"");
    out_ += svg::text(frame_left - 8, at + 4, small_font, "end", amount(power, "FLOP/s"));
  }
  add_line({frame_left, frame_top, frame_left, frame_bottom}, "stroke=\"#888\"");
  add_line({frame_left, frame_bottom, frame_right, frame_bottom}, "stroke=\"#888\"");
  out_ += svg::text((frame_left + frame_right) / 2, frame_bottom + 58, 13, "middle",
                    roofline_.intensity_label);
  out_ += svg::text(20, frame_top - 16, 13, "start", "FLOP/s");
}

/// What limits on either side of the ridge; with several ridges that depends on the roof.
void RooflinePicture::draw_regions() {
  if (roofline_.roofs.size() != 1) return;
  const double ridge = x_.at(roofline_.ridge(roofline_.roofs[0]));
  out_ += svg::text((frame_left + ridge) / 2, frame_bottom + 36, small_font, "middle",
                    roofline_.caches.empty() ? "memory limits" : "memory or a cache can limit");
  out_ += svg::text((ridge + frame_right) / 2, frame_bottom + 36, small_font, "middle",
                    "arithmetic limits");
}

void RooflinePicture::draw_roofs() {
  constexpr const char* style = "stroke=\"#222\" stroke-width=\"2.5\"";
  const auto add = [&](const Segment& segment, const char* its_style) {
    add_line(segment, its_style);
    layout_.keep_clear(segment);
  };
  for (const Slope& cache : roofline_.caches) {
    add(slope_of(cache.rate), "stroke=\"#555\" stroke-width=\"1.2\"");
  }
  add(slope_of(roofline_.memory), style);
  for (const Roof& roof : roofline_.roofs) {
    const double y = y_.at(roof.rate);
    const double x = x_.at(roof.rate / roofline_.fastest());
    add({x, y, frame_right, y}, style);
    // Labels of two lines would come near enough to cut into it.
    if (roofline_.has_traffic()) layout_.keep_clear(Box{x, y - 2, frame_right, y + 2});
  }
}

Segment RooflinePicture::slope_of(double rate) const {
  const double first = start_of_slope(rate), highest = roofline_.roofs.back().rate;
  return {x_.at(first), y_.at(first * rate), x_.at(highest / rate), y_.at(highest)};
}

void RooflinePicture::draw_ridges() {
  for (const Roof& roof : roofline_.roofs) {
    const double x = x_.at(roofline_.ridge(roof)), y = y_.at(roof.rate);
    add_line({x, y, x, frame_bottom}, "stroke=\"#888\" stroke-dasharray=\"3 4\"");
    out_ += svg::circle(x, y, 4, "#222", "#222");
    layout_.keep_clear(Box{x - 5, y - 5, x + 5, y + 5});
  }
}

void RooflinePicture::draw_dot(double x, double y, const Dot& dot) {
  if (roofline_.bounds) {
    const char* colour = dot.rival ? rival_ring_colour : dot_colour;
    out_ += svg::circle(x, y, 6, colour, colour) + svg::circle(x, y, 5, "#fff", colour);
  } else {
    out_ += svg::circle(x, y, 5, dot.rival ? rival_dot_colour : dot_colour, "#222");
  }
}

void RooflinePicture::add_label(double x, double y, const std::vector<std::string>& lines,
                                bool prefer_left) {
  const auto label = layout_.place(x, y, small_font, lines, prefer_left);
  if (!label) {
    fits_ = false;
    return;
  }
  if (label->leader) add_line(*label->leader, "stroke=\"#888\"");
  draw_lines(label->box, label->x, label->baseline, label->anchor, lines);
}

void RooflinePicture::draw_lines(const Box& box, double x, double baseline,
                                 const std::string& anchor, const std::vector<std::string>& lines) {
  out_ += svg::rectangle(box.left, box.top, box.right - box.left, box.bottom - box.top, "#fff");
  for (const std::string& text : lines) {
    out_ += svg::text(x, baseline, small_font, anchor, text);
    baseline += label_line_height * small_font;
  }
}

bool RooflinePicture::name_roof(double y, const std::vector<std::string>& lines) {
  const double step = label_line_height * small_font,
               more = step * static_cast<double>(lines.size() - 1);
  const std::string& longest = *std::ranges::max_element(lines, {}, &std::string::size);
  for (double x = frame_right - 6; x > frame_left; x -= 20) {
    for (const double baseline : {y - 7 - more, y + 16}) {
      Box box = text_box(x, baseline, small_font, "end", longest);
      box.bottom += more;
      if (!layout_.take(box)) continue;
      draw_lines(box, x, baseline, "end", lines);
      return true;
    }
  }
  return false;
}

bool RooflinePicture::name_along(const Slope& slope) {
  constexpr double above = 6, below = 4, margin = 1;
  const Segment line = slope_of(slope.rate);
  const double degrees = std::atan2(line.y2 - line.y1, line.x2 - line.x1) * 180 / std::numbers::pi;
  const std::string text = slope.label();
  for (const double shift : {-above, below + 0.85 * small_font}) {
    for (const double share : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}) {
      const double x = line.x1 + share * (line.x2 - line.x1);
      const double y = line.y1 + share * (line.y2 - line.y1);
      const Box box = text_box(x, y + shift, small_font, "middle", text);
      const Box taken{box.left, box.top - margin, box.right, box.bottom + margin};
      if (!layout_.take(TurnedBox(taken, degrees, x, y))) continue;
      out_ += svg::turned(
          degrees, x, y,
          svg::rectangle(box.left, box.top, box.right - box.left, box.bottom - box.top, "#fff") +
              svg::text(x, y + shift, small_font, "middle", text));
      return true;
    }
  }
  return false;
}

/// Slopes have their names along them if there are several; that of memory alone beside itself.
void RooflinePicture::name_slopes() {
  const Slope memory{"memory", roofline_.memory};
  std::vector<Slope> slopes = roofline_.caches;
  slopes.push_back(memory);
  for (const Slope& slope : slopes) {
    if (slopes.size() > 1 && name_along(slope)) continue;
    const double middle =
        std::sqrt(start_of_slope(slope.rate) * roofline_.roofs.front().rate / slope.rate);
    add_label(x_.at(middle), y_.at(middle * slope.rate), {slope.label()}, true);
  }
}

/// Roofs have their names above or below them, as far to the right as there is room.
void RooflinePicture::name_roofs() {
  for (const Roof& roof : roofline_.roofs) {
    const std::string text = roof.label();
    const double y = y_.at(roof.rate);
    if (name_roof(y, {text})) continue;
    const std::size_t comma = text.find(", ");
    if (comma != text.npos && name_roof(y, {text.substr(0, comma + 1), text.substr(comma + 2)})) {
      continue;
    }
    add_label(frame_right - 20, y, {text}, true);
  }
}

void RooflinePicture::name_ridges() {
  for (const Roof& roof : roofline_.roofs) {
    add_label(x_.at(roofline_.ridge(roof)), y_.at(roof.rate),
              {fmt::format("ridge point: {:.3g} FLOP/byte", roofline_.ridge(roof))}, true);
  }
}

/// Dots in one place, by their numbers, the highest first.
std::vector<std::vector<std::size_t>> RooflinePicture::groups_of_dots() const {
  const std::vector<Dot>& dots = roofline_.dots;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < dots.size(); ++i) {
    const auto group = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& others) {
      const Dot& other = dots[others[0]];
      return std::hypot(x_of(dots[i]) - x_of(other), y_of(dots[i]) - y_of(other)) <= 1;
    });
    if (group == groups.end()) {
      groups.push_back({i});
    } else {
      group->push_back(i);
    }
  }
  std::ranges::stable_sort(groups, std::greater(), [&](const std::vector<std::size_t>& group) {
    return dots[group[0]].rate;
  });
  return groups;
}

/// What dots are, in a line each, or by their numbers.
void RooflinePicture::name_dots() {
  for (const std::vector<std::size_t>& group : groups_of_dots()) {
    std::vector<std::string> lines;
    std::string numbers;
    for (const std::size_t i : group) {
      lines.push_back(roofline_.dots[i].label());
      if (const std::string place = roofline_.dots[i].place(); !place.empty()) {
        lines.push_back(place);
      }
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(i + 1);
    }
    if (listed_) lines = {numbers};
    const Dot& dot = roofline_.dots[group[0]];
    add_label(x_of(dot), y_of(dot), lines, false);
  }
}

/// Below the picture, in two columns.
void RooflinePicture::draw_list() {
  const std::size_t rows = list_rows();
  for (std::size_t i = 0; i < roofline_.dots.size(); ++i) {
    const Dot& dot = roofline_.dots[i];
    const double x = i < rows ? frame_left : (frame_left + frame_right) / 2;
    const double y = list_top + list_step * static_cast<double>(i % rows);
    draw_dot(x, y, dot);
    out_ +=
        svg::text(x + 12, y + 4, list_font, "start", fmt::format("{}  {}", i + 1, dot.label()), 60);
  }
}

std::string RooflinePicture::summary() const {
  std::string text =
      fmt::format("{}. Memory: {}.", roofline_.title, amount(roofline_.memory, "B/s"));
  for (const Slope& cache : roofline_.caches) text += fmt::format(" The {}.", cache.label());
  for (const Roof& roof : roofline_.roofs) {
    text +=
        fmt::format(" {}, ridge point at {:.3g} FLOP/byte.", roof.label(), roofline_.ridge(roof));
  }
  for (const Dot& dot : roofline_.dots) {
    text += fmt::format(" {} {}at {:.3g} FLOP/byte{}.", dot.label(),
                        roofline_.bounds ? "at most, " : "", dot.intensity,
                        dot.from.empty() ? "" : ", " + dot.from);
  }
  return text;
}

std::optional<std::string> RooflinePicture::draw() {
  const double height =
      listed_ ? list_top + list_step * static_cast<double>(list_rows()) : frame_bottom + 74;
  out_ = svg::start(picture_width, static_cast<int>(height), summary());
  out_ += svg::text(20, 26, 15, "start", roofline_.title, 110);
  out_ += svg::text(20, 48, 13, "start", roofline_.note, 130);
  draw_axes();
  draw_regions();
  draw_roofs();
  draw_ridges();
  for (const Dot& dot : roofline_.dots) {
    layout_.keep_clear(Box{x_of(dot) - 7, y_of(dot) - 7, x_of(dot) + 7, y_of(dot) + 7});
  }
  name_ridges();
  name_roofs();
  name_slopes();
  name_dots();
  for (const Dot& dot : roofline_.dots) draw_dot(x_of(dot), y_of(dot), dot);
  if (listed_) draw_list();
  if (!fits_ && !listed_) return std::nullopt;
  return out_ + "</svg>\n";
}

}  // namespace

std::string roofline_plot(const Results& results, const std::string& title) {
  const Roofline roofline = roofline_of(results, title);
  if (roofline.dots.empty() || roofline.roofs.empty() || roofline.memory <= 0) return "";
  if (roofline.dots.size() <= most_names) {
    if (const auto picture = RooflinePicture(roofline, false).draw()) return *picture;
  }
  return RooflinePicture(roofline, true).draw().value_or("");
}

}  // namespace tut::learn
