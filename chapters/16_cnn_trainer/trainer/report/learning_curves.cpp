#include "16_cnn_trainer/trainer/report/learning_curves.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tut/numeric/math.hpp"
#include "tut/text/svg.hpp"

namespace tut::ch16 {

namespace {

constexpr int kWidth = 900, kHeight = 370;
constexpr double kTop = 70, kBottom = 290, kPanelWidth = 340;
constexpr std::size_t kMaxPoints = 300;  // of a curve
constexpr std::size_t kDots = 40;        // up to so many points each has a dot

// Told apart by colour, and by their dashes without it.
struct Style {
  const char* color;
  const char* dashes;
};
constexpr Style kStyles[] = {
    {"#2171b5", ""}, {"#d94801", "7 3"}, {"#238b45", "2 3"}, {"#6a51a3", "9 3 2 3"}};

// A range of round numbers.
struct Axis {
  double low, high, step;

  double share(double value) const { return (value - low) / (high - low); }
};

// 1, 2 or 5 times a power of ten, so that about five steps make `range`.
double round_step(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 5)));
  for (const double factor : {1, 2, 5}) {
    if (range / (factor * power) <= 5.001) return factor * power;
  }
  return 10 * power;
}

// Short also where it is very large or small.
std::string tick_text(double value) {
  if (!std::isfinite(value)) return "not finite";
  char digits[32];
  return {digits,
          std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::general, 6).ptr};
}

struct Panel {
  double left;
  const char* heading;
  Axis epochs, values;
  double (*value)(const EpochResult&);
  const char* unit;

  double x(double epoch) const { return left + kPanelWidth * epochs.share(epoch); }
  double y(double value_there) const {
    return kBottom - (kBottom - kTop) * values.share(value_there);
  }
};

double loss_of(const EpochResult& result) { return result.train_loss; }
double percent_of(const EpochResult& result) { return 100 * result.test_accuracy; }

// Every `stride`-th epoch and the last.
std::vector<EpochResult> thinned(const std::vector<EpochResult>& epochs) {
  const std::size_t stride = ceil_div(epochs.size(), kMaxPoints);
  std::vector<EpochResult> kept;
  for (std::size_t i = 0; i < epochs.size(); i += stride) kept.push_back(epochs[i]);
  if ((epochs.size() - 1) % stride != 0) kept.push_back(epochs.back());
  return kept;
}

struct Extent {
  double least = std::numeric_limits<double>::infinity(), largest = -least;

  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
};

Extent extent_of(std::span<const Curve> curves, double (*value)(const EpochResult&)) {
  Extent extent;
  for (const Curve& curve : curves) {
    for (const EpochResult& result : curve.epochs) extent.add(value(result));
  }
  return extent;
}

Axis epoch_axis(std::span<const Curve> curves) {
  const Extent extent = extent_of(curves, [](const EpochResult& r) { return double{1} * r.epoch; });
  const double high = std::max(extent.largest, extent.least + 1);
  return {extent.least, high, std::max(1.0, round_step(high - extent.least))};
}

// From 0 to a round number that no loss exceeds.
Axis loss_axis(std::span<const Curve> curves) {
  const Extent extent = extent_of(curves, loss_of);
  const double largest = extent.largest > 1e-6 ? std::min(extent.largest, 1e100) : 1;
  const double step = round_step(largest);
  return {0, step * std::ceil(largest / step - 1e-9), step};
}

// From a round number that no accuracy is below to 100 %.
Axis accuracy_axis(std::span<const Curve> curves) {
  const Extent extent = extent_of(curves, percent_of);
  const double least = std::isfinite(extent.least) ? std::clamp(extent.least, 0.0, 99.0) : 0;
  const double step = round_step(100 - least);
  return {std::max(0.0, 100 - step * std::ceil((100 - least) / step - 1e-9)), 100, step};
}

std::string path(const std::string& moves, const std::string& attributes) {
  return "<path d=\"" + moves + "\" fill=\"none\" " + attributes + "/>\n";
}

std::string frame_of(const Panel& panel) {
  const double right = panel.left + kPanelWidth;
  std::string grid, out;
  const Axis& values = panel.values;
  for (int i = 0; values.low + i * values.step <= values.high * (1 + 1e-9); ++i) {
    const double value = values.low + i * values.step, y = panel.y(value);
    grid += "M" + svg::number(panel.left) + " " + svg::number(y) + "H" + svg::number(right);
    out += svg::text(panel.left - 8, y + 4, 12, "end", tick_text(value) + panel.unit);
  }
  const Axis& epochs = panel.epochs;
  const double first = epochs.step * std::ceil(epochs.low / epochs.step);
  for (int i = 0; first + i * epochs.step <= epochs.high; ++i) {
    const double epoch = first + i * epochs.step;
    out += svg::text(panel.x(epoch), kBottom + 20, 12, "middle", tick_text(epoch));
  }
  out += svg::text(panel.left + kPanelWidth / 2, kTop - 16, 14, "middle", panel.heading);
  out += svg::text(panel.left + kPanelWidth / 2, kBottom + 40, 12, "middle", "epoch");
  return path(grid, "stroke=\"#ddd\"") + out;
}

std::string curve_of(const Panel& panel, const std::vector<EpochResult>& epochs,
                     const Style& style) {
  std::string moves, dots;
  bool pen_down = false;
  for (const EpochResult& result : epochs) {
    const double value = panel.value(result);
    if (!std::isfinite(value)) {
      pen_down = false;
      continue;
    }
    const std::string x = svg::number(panel.x(result.epoch));
    const std::string y =
        svg::number(panel.y(std::clamp(value, panel.values.low, panel.values.high)));
    moves += (pen_down ? "L" : "M") + x + " " + y;
    pen_down = true;
    if (epochs.size() > kDots) continue;
    dots += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"3\" fill=\"" + style.color + "\"/>\n";
  }
  if (moves.empty()) return "";
  const std::string dashes =
      *style.dashes ? " stroke-dasharray=\"" + std::string(style.dashes) + "\"" : "";
  return path(moves, "stroke=\"" + std::string(style.color) + "\" stroke-width=\"2\"" + dashes) +
         dots;
}

std::string legend_of(std::span<const Curve> curves) {
  std::string out;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const double x = 60 + 210.0 * static_cast<double>(i);
    const std::string dashes =
        *kStyles[i].dashes ? " stroke-dasharray=\"" + std::string(kStyles[i].dashes) + "\"" : "";
    out += path("M" + svg::number(x) + " 350h30",
                "stroke=\"" + std::string(kStyles[i].color) + "\" stroke-width=\"2\"" + dashes);
    out += svg::text(x + 38, 354, 12, "start", curves[i].name, 22);
  }
  return out;
}

std::string summary_of(std::span<const Curve> curves, const std::string& title) {
  std::string text = title + ". Loss and test accuracy by epoch.";
  for (const Curve& curve : curves) {
    const EpochResult& last = curve.epochs.back();
    text += " " + (curve.name.empty() ? std::string("The network") : curve.name) + " after epoch " +
            std::to_string(last.epoch) + ": loss " + tick_text(last.train_loss) + ", accuracy " +
            svg::number(percent_of(last), 2) + " %.";
  }
  return text;
}

}  // namespace

std::string learning_curves(std::span<const Curve> curves, const std::string& title) {
  const bool empty = std::ranges::any_of(curves, [](const Curve& c) { return c.epochs.empty(); });
  if (curves.empty() || curves.size() > std::size(kStyles) || empty) {
    throw std::invalid_argument("there are " + std::to_string(curves.size()) + " curves" +
                                (empty ? ", one without epochs" : "") +
                                "; expected 1 to 4 with at least one epoch each");
  }
  const Axis epochs = epoch_axis(curves);
  const Panel panels[] = {{80, "training loss", epochs, loss_axis(curves), loss_of, ""},
                          {530, "test accuracy", epochs, accuracy_axis(curves), percent_of, " %"}};
  std::string out = svg::start(kWidth, kHeight, summary_of(curves, title));
  out += svg::text(kWidth / 2.0, 28, 15, "middle", title);
  for (const Panel& panel : panels) {
    out += frame_of(panel);
    for (std::size_t i = 0; i < curves.size(); ++i) {
      out += curve_of(panel, thinned(curves[i].epochs), kStyles[i]);
    }
  }
  if (curves.size() > 1) out += legend_of(curves);
  return out + "</svg>\n";
}

}  // namespace tut::ch16
