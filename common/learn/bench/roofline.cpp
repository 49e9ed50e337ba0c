#include "learn/bench/roofline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "learn/bench/bound.hpp"
#include "learn/bench/label_layout.hpp"
#include "learn/bench/limit.hpp"
#include "tut/text/svg.hpp"

namespace tut::learn {
namespace {

constexpr int picture_width = 900, small_font = 12;
constexpr double frame_left = 100, frame_right = 870, frame_top = 92, frame_bottom = 452;
constexpr double list_top = frame_bottom + 90, list_step = 20;
// Told apart by their lightness too.
constexpr const char* dot_colour = "#2171b5";
constexpr const char* rival_dot_colour = "#fdae6b";
// More names than that do not fit beside their dots.
constexpr std::size_t most_names = 10;

struct Dot {
  std::string name;
  double intensity, rate;  // FLOPs for each byte, FLOP/s
  bool rival;

  std::string label() const { return fmt::format("{}: {}", name, amount(rate, "FLOP/s")); }
};

/// A flat roof; arithmetics of one rate share it.
struct Roof {
  double rate;
  std::string name;
};

struct Roofline {
  std::string title, note, intensity_label;
  double memory = 0;        // bytes/s
  std::vector<Roof> roofs;  // the lowest first
  std::vector<Dot> dots;
  bool bounds = false;  // not measured

  double ridge(const Roof& roof) const { return roof.rate / memory; }
};

/// The last size of each ladder: those before are smaller.
std::vector<ResultLadder> largest_ladders(const Results& results) {
  std::vector<ResultLadder> ladders;
  for (const ResultLadder& ladder : ladders_of(results)) {
    const auto same = std::ranges::find(ladders, ladder.name, &ResultLadder::name);
    if (same == ladders.end()) {
      ladders.push_back(ladder);
    } else if (ladder.rows.front().flops >= same->rows.front().flops) {
      *same = ladder;
    }
  }
  std::erase_if(ladders, [](const ResultLadder& ladder) {
    return std::ranges::all_of(ladder.rows, [](const ResultRow& row) { return row.flops <= 0; });
  });
  return ladders;
}

std::optional<Dot> dot_of(const ResultRow& row, const std::string& name, const Results& results) {
  if (row.flops <= 0 || results.roof(row.arithmetic) <= 0) return std::nullopt;
  if (results.counted()) {
    const std::optional<Bound> bound = bound_of(row, results);
    if (!bound) return std::nullopt;
    return Dot{name, row.flops / row.counted->bytes_moved, row.flops / bound->seconds, row.rival};
  }
  if (row.bytes <= 0 || row.seconds.empty()) return std::nullopt;
  return Dot{name, row.flops / row.bytes, row.flops / row.median_seconds(), row.rival};
}

/// What a ladder's kernels could reach if each byte moved once.
std::optional<Dot> least_bytes_dot(const ResultLadder& ladder, const Results& results) {
  for (const ResultRow& row : ladder.rows) {
    const std::optional<Bound> bound = bound_of(row, row.bytes, results);
    if (!row.counted || row.bytes <= 0 || row.flops <= 0 || !bound) continue;
    return Dot{"each byte moved once", row.flops / row.bytes, row.flops / bound->seconds, true};
  }
  return std::nullopt;
}

std::vector<Dot> dots_of(const Results& results) {
  std::vector<Dot> dots;
  const std::vector<ResultLadder> ladders = largest_ladders(results);
  for (const ResultLadder& ladder : ladders) {
    for (const ResultRow& row : ladder.rows) {
      const std::string name =
          ladders.size() == 1 ? row.step : fmt::format("{}: {}", ladder.name, row.step);
      if (const auto dot = dot_of(row, name, results)) dots.push_back(*dot);
    }
  }
  if (results.counted() && ladders.size() == 1) {
    if (const auto dot = least_bytes_dot(ladders[0], results)) dots.push_back(*dot);
  }
  return dots;
}

/// "FP32 on CUDA cores", "FP16 and BF16 on tensor cores", of a processor "FP32, one core".
std::string roof_name(const std::set<std::string>& arithmetics, const Results& results) {
  const bool is_gpu = results.counted() || results.at("backend") == "cuda";
  std::vector<std::string> names;
  std::string tensor_cores;
  for (const std::string& arithmetic : arithmetics) {
    if (!is_gpu) {
      names.push_back(arithmetic == "fp32"             ? "FP32, one core"
                      : arithmetic == "fp32_all_cores" ? "FP32, all cores"
                                                       : arithmetic);
    } else if (arithmetic == "fp32") {
      names.push_back(arithmetic_words(arithmetic));
    } else {
      const std::string words = arithmetic_words(arithmetic);
      tensor_cores =
          (tensor_cores.empty() ? "" : tensor_cores + " and ") + words.substr(0, words.find(' '));
    }
  }
  if (!tensor_cores.empty()) {
    names.push_back(tensor_cores + " on tensor cores" +
                    (results.counted() ? "" : roof_words(*arithmetics.rbegin())));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The roofs of CUDA cores and of what the rows compute with.
std::vector<Roof> drawn_roofs(const Results& results) {
  std::map<double, std::set<std::string>> arithmetics;
  const auto add = [&](const std::string& arithmetic) {
    const double rate = results.roof(arithmetic);
    if (rate > 0) arithmetics[rate].insert(arithmetic);
  };
  add("fp32");
  for (const ResultRow& row : results.rows) {
    if (row.flops > 0) add(row.arithmetic);
  }
  std::vector<Roof> roofs;
  for (const auto& [rate, names] : arithmetics) roofs.push_back({rate, roof_name(names, results)});
  return roofs;
}

Roofline roofline_of(const Results& results, const std::string& title) {
  Roofline roofline;
  roofline.title = title;
  roofline.bounds = results.counted();
  roofline.memory = results.roof("memory");
  roofline.roofs = drawn_roofs(results);
  roofline.dots = dots_of(results);
  if (roofline.bounds) {
    roofline.note =
        "Ring: a kernel's bound, not measured. All bytes that it requests come from memory; caches "
        "may do better.";
    roofline.intensity_label = "FLOPs for each byte that the kernel requests, counted";
  } else {
    roofline.note = "Dot: what was measured.";
    roofline.intensity_label = "FLOPs for each byte that must move at least";
  }
  return roofline;
}

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
  double first() const { return std::pow(10.0, low); }
  double last() const { return std::pow(10.0, high); }
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

  /// Nothing where a label finds no place.
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
  void name_roofs();
  void name_ridges();
  void name_dots();
  void number_dots();
  void draw_list();
  void add_line(const Segment& s, const char* style) {
    out_ += svg::line(s.x1, s.y1, s.x2, s.y2, style);
  }
  /// A label near a point; where there is no room, the picture fails.
  void add_label(double x, double y, const std::string& text, bool prefer_left);
  std::string summary() const;

  const Roofline& roofline_;
  bool listed_;
  LogAxis x_, y_;
  LabelLayout layout_;
  std::string out_;
  bool fits_ = true;
};

LogAxis RooflinePicture::x_axis(const Roofline& roofline) {
  double least = roofline.ridge(roofline.roofs.front()) / 100;
  double largest = roofline.ridge(roofline.roofs.back()) * 20;
  for (const Dot& dot : roofline.dots) {
    least = std::min(least, dot.intensity);
    largest = std::max(largest, 1.2 * dot.intensity);
  }
  return LogAxis::over(least, largest, frame_left, frame_right);
}

LogAxis RooflinePicture::y_axis(const Roofline& roofline) {
  double least = roofline.roofs.front().rate / 20, largest = roofline.roofs.back().rate * 1.5;
  for (const Dot& dot : roofline.dots) {
    least = std::min(least, 0.8 * dot.rate);
    largest = std::max(largest, 1.2 * dot.rate);
  }
  return LogAxis::over(least, largest, frame_bottom, frame_top);
}

void RooflinePicture::draw_axes() {
  for (int power = x_.low; power <= x_.high; ++power) {
    const double at = x_.at(std::pow(10.0, power));
    add_line({at, frame_top, at, frame_bottom}, "stroke=\"#ddd\"");
    out_ += svg::text(at, frame_bottom + 18, small_font, "middle",
                      fmt::format("{:g}", std::pow(10.0, power)));
  }
  for (int power = y_.low; power <= y_.high; ++power) {
    const double at = y_.at(std::pow(10.0, power));
    add_line({frame_left, at, frame_right, at}, "stroke=\"#ddd\"");
    out_ += svg::text(frame_left - 8, at + 4, small_font, "end",
                      amount(std::pow(10.0, power), "FLOP/s"));
  }
  out_ += svg::text((frame_left + frame_right) / 2, frame_bottom + 58, 13, "middle",
                    roofline_.intensity_label);
  out_ += svg::text(20, frame_top - 16, 13, "start", "FLOP/s");
}

/// What limits on either side of the ridge; with several ridges that depends on the roof.
void RooflinePicture::draw_regions() {
  if (roofline_.roofs.size() != 1) return;
  const double ridge = x_.at(roofline_.ridge(roofline_.roofs[0]));
  out_ +=
      svg::text((frame_left + ridge) / 2, frame_bottom + 36, small_font, "middle", "memory limits");
  out_ += svg::text((ridge + frame_right) / 2, frame_bottom + 36, small_font, "middle",
                    "arithmetic limits");
}

void RooflinePicture::draw_roofs() {
  constexpr const char* style = "stroke=\"#222\" stroke-width=\"2.5\"";
  const double first = std::max(x_.first(), y_.first() / roofline_.memory);
  const double last = roofline_.ridge(roofline_.roofs.back());
  const Segment slope{x_.at(first), y_.at(first * roofline_.memory), x_.at(last),
                      y_.at(roofline_.roofs.back().rate)};
  add_line(slope, style);
  layout_.keep_clear(slope);
  for (const Roof& roof : roofline_.roofs) {
    const double y = y_.at(roof.rate);
    const Segment flat{x_.at(roofline_.ridge(roof)), y, frame_right, y};
    add_line(flat, style);
    layout_.keep_clear(flat);
  }
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
  const char* colour = dot.rival ? rival_dot_colour : dot_colour;
  if (roofline_.bounds) {
    out_ += svg::circle(x, y, 5, "#fff", colour);
  } else {
    out_ += svg::circle(x, y, 5, colour, "#222");
  }
}

void RooflinePicture::add_label(double x, double y, const std::string& text, bool prefer_left) {
  const auto label = layout_.place(x, y, small_font, text, prefer_left);
  if (!label) {
    fits_ = false;
    return;
  }
  if (label->leader) add_line(*label->leader, "stroke=\"#888\"");
  out_ += svg::text(label->x, label->baseline, small_font, label->anchor, text);
}

/// Roofs have their names above or below them, as far to the right as there is room; the slope
/// beside itself.
void RooflinePicture::name_roofs() {
  for (const Roof& roof : roofline_.roofs) {
    const std::string text = fmt::format("{}: {}", roof.name, amount(roof.rate, "FLOP/s"));
    const double y = y_.at(roof.rate);
    const auto is_placed = [&](double x, double baseline) {
      if (!layout_.take(text_box(x, baseline, small_font, "end", text))) return false;
      out_ += svg::text(x, baseline, small_font, "end", text);
      return true;
    };
    bool placed = false;
    for (double x = frame_right - 6; x > frame_left && !placed; x -= 20) {
      placed = is_placed(x, y - 7) || is_placed(x, y + 16);
    }
    fits_ = fits_ && placed;
  }
  const double first = std::max(x_.first(), y_.first() / roofline_.memory);
  const double middle = std::sqrt(first * roofline_.ridge(roofline_.roofs.front()));
  add_label(x_.at(middle), y_.at(middle * roofline_.memory),
            "memory: " + amount(roofline_.memory, "B/s"), true);
}

void RooflinePicture::name_ridges() {
  for (const Roof& roof : roofline_.roofs) {
    add_label(x_.at(roofline_.ridge(roof)), y_.at(roof.rate),
              fmt::format("ridge point: {:.3g} FLOP/byte", roofline_.ridge(roof)), true);
  }
}

void RooflinePicture::name_dots() {
  std::vector<const Dot*> by_height;
  for (const Dot& dot : roofline_.dots) by_height.push_back(&dot);
  std::ranges::stable_sort(by_height, std::greater(), [](const Dot* dot) { return dot->rate; });
  for (const Dot* dot : by_height) add_label(x_of(*dot), y_of(*dot), dot->label(), false);
}

/// Dots at one place share a line of numbers.
void RooflinePicture::number_dots() {
  const std::vector<Dot>& dots = roofline_.dots;
  std::vector<bool> numbered(dots.size());
  for (std::size_t i = 0; i < dots.size(); ++i) {
    std::string numbers;
    for (std::size_t j = i; j < dots.size(); ++j) {
      const double distance =
          std::hypot(x_of(dots[i]) - x_of(dots[j]), y_of(dots[i]) - y_of(dots[j]));
      if (numbered[j] || distance > 4) continue;
      numbered[j] = true;
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(j + 1);
    }
    if (!numbers.empty()) add_label(x_of(dots[i]), y_of(dots[i]), numbers, false);
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
    out_ += svg::text(x + 12, y + 4, small_font, "start", fmt::format("{}  {}", i + 1, dot.label()),
                      52);
  }
}

std::string RooflinePicture::summary() const {
  std::string text =
      fmt::format("{}. Memory: {}.", roofline_.title, amount(roofline_.memory, "B/s"));
  for (const Roof& roof : roofline_.roofs) {
    text += fmt::format(" {}: {}, ridge point at {:.3g} FLOP/byte.", roof.name,
                        amount(roof.rate, "FLOP/s"), roofline_.ridge(roof));
  }
  for (const Dot& dot : roofline_.dots) {
    text += fmt::format(" {} {}at {:.3g} FLOP/byte.", dot.label(),
                        roofline_.bounds ? "at most, " : "", dot.intensity);
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
    layout_.keep_clear(Box{x_of(dot) - 6, y_of(dot) - 6, x_of(dot) + 6, y_of(dot) + 6});
  }
  name_ridges();
  name_roofs();
  listed_ ? number_dots() : name_dots();
  for (const Dot& dot : roofline_.dots) draw_dot(x_of(dot), y_of(dot), dot);
  if (listed_) draw_list();
  if (!fits_) return std::nullopt;
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
