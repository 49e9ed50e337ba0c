// The lesson's figures and the measured errors, on standard output: formats, spacing, errors (SVG),
// errors_json.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "12_mixed_precision/error_study.hpp"
#include "12_mixed_precision/formats.hpp"
#include "12_mixed_precision/plot.hpp"
#include "12_mixed_precision/report.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut::ch12;

constexpr const char* COLOURS[] = {"#222222", "#1f77b4", "#2ca02c", "#d62728",
                                   "#9467bd", "#e67e00", "#8c564b", "#17a2b8"};

/// "2⁻¹⁴".
std::string power(int base, int exponent) {
  constexpr const char* DIGITS[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = std::to_string(base) + (exponent < 0 ? "⁻" : "");
  for (const char digit : std::to_string(std::abs(exponent))) text += DIGITS[digit - '0'];
  return text;
}

/// The bits of every format, and what it reaches from its smallest to its largest number.
std::string formats_figure() {
  Svg svg(900, 330, "Bits of FP32, TF32, BF16, FP16, E5M2 and E4M3, and the numbers they reach");
  constexpr double CELL = 13, LEFT = 60, RANGE_LEFT = 500, RANGE_RIGHT = 880;
  const auto at = [&](double exponent) {
    return RANGE_LEFT + (exponent + 150) / 280 * (RANGE_RIGHT - RANGE_LEFT);
  };
  svg.text(LEFT, 24, "sign, exponent, significand", "start", "#222", 13);
  svg.text(RANGE_LEFT, 24, "from the smallest to the largest number", "start", "#222", 13);
  double y = 40;
  for (const Format& f : FORMATS) {
    svg.text(LEFT - 8, y + 17, f.name, "end", "#222", 13);
    for (int bit = 0; bit < f.bits(); ++bit) {
      const char* fill = bit == 0 ? "#bbb" : bit <= f.exponent_bits ? "#fdae6b" : "#9ecae1";
      svg.rectangle(LEFT + CELL * bit, y, CELL, 24, fill, "#555");
    }
    const double first = at(std::log2(smallest(f))), normal = at(f.smallest_exponent()),
                 last = at(std::log2(largest(f)));
    svg.rectangle(first, y + 6, normal - first, 12, "#d0d0d0", "#555");
    svg.rectangle(normal, y + 6, last - normal, 12, "#a1d99b", "#555");
    y += 38;
  }
  for (const int exponent : {-126, -64, -14, 16, 64, 128}) {
    svg.line(at(exponent), 32, at(exponent), y, "#ccc");
    svg.text(at(exponent), y + 16, power(2, exponent), "middle");
  }
  svg.text(LEFT, y + 16, "orange: exponent, how far; blue: significand, how fine", "start", "#222");
  svg.text(LEFT, y + 34, "grey: subnormal numbers, which lose bits one by one", "start", "#222");
  return svg.str();
}

/// The distance to the next number, against the number.
std::string spacing_figure() {
  constexpr int LOWEST = -36, HIGHEST = 20;
  Axis x{LOWEST, HIGHEST, {}, "the number"}, y{-60, 16, {}, "the distance to the next one"};
  for (int e = -32; e <= 16; e += 8) x.ticks.push_back({static_cast<double>(e), power(2, e)});
  for (int e = -56; e <= 8; e += 8) y.ticks.push_back({static_cast<double>(e), power(2, e)});
  std::vector<PlotLine> lines;
  for (std::size_t i = 0; i < FORMATS.size(); ++i) {
    const Format& f = FORMATS[i];
    PlotLine line{f.name, COLOURS[i], {}};
    const int first = std::max(LOWEST, std::ilogb(smallest(f)));
    for (int e = first; e < HIGHEST && std::ldexp(1.0, e) <= largest(f); ++e) {
      const double step = std::log2(spacing(f, std::ldexp(1.0, e)));
      line.points.emplace_back(e, step);
      line.points.emplace_back(e + 1, step);
    }
    lines.push_back(line);
  }
  return line_plot("Spacing of the numbers of each format", x, y, lines);
}

std::string errors_figure() {
  Axis x{4, 12, {}, "K, the length of each sum"}, y{-7.5, -2, {}, "relative error of C = AB"};
  for (const int k : LENGTHS) x.ticks.push_back({std::log2(k), std::to_string(k)});
  for (int e = -7; e <= -2; ++e) y.ticks.push_back({static_cast<double>(e), power(10, e)});
  std::vector<PlotLine> lines;
  const std::vector<ErrorCurve> curves = error_curves(LENGTHS);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    PlotLine line{curves[i].name, COLOURS[i], {}, curves[i].name.find("cut") != std::string::npos};
    for (std::size_t j = 0; j < std::size(LENGTHS); ++j) {
      line.points.emplace_back(std::log2(LENGTHS[j]), std::log10(curves[i].errors[j]));
    }
    lines.push_back(line);
  }
  return line_plot("Relative error of matrix products against the length of their sums", x, y,
                   lines);
}

std::string errors_json() {
  std::string text =
      "{\n  \"what\": \"root mean square of the errors of C = AB, relative to that of "
      "C; 32 x K times K x 32, uniform in [-1, 1]\",\n  \"lengths\": [";
  for (const int k : LENGTHS) text += (k == LENGTHS[0] ? "" : ", ") + std::to_string(k);
  text += "],\n  \"curves\": [";
  const char* separator = "\n";
  for (const ErrorCurve& curve : error_curves(LENGTHS)) {
    text += separator + ("    {\"name\": \"" + curve.name + "\", \"errors\": [");
    for (std::size_t i = 0; i < curve.errors.size(); ++i) {
      char number[32];
      std::snprintf(number, sizeof(number), "%s%.3e", i == 0 ? "" : ", ", curve.errors[i]);
      text += number;
    }
    text += "]}";
    separator = ",\n";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc == 2 ? argv[1] : "";
    std::string text;
    if (what == "formats") text = formats_figure();
    if (what == "spacing") text = spacing_figure();
    if (what == "errors") text = errors_figure();
    if (what == "errors_json") text = errors_json();
    if (text.empty()) {
      std::fputs("usage: ch12_figures formats|spacing|errors|errors_json\n", stderr);
      return 2;
    }
    std::fputs(text.c_str(), stdout);
    return tut::flush_output("ch12_figures") ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ch12_figures: %s\n", error.what());
    return 1;
  }
}
