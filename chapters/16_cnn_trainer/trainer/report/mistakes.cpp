#include "16_cnn_trainer/trainer/report/mistakes.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tut/numeric/math.hpp"
#include "tut/text/svg.hpp"

namespace tut::ch16 {

namespace {

constexpr std::size_t kShown = 40, kColumns = 10;
constexpr int kMaxSide = 64;
constexpr int kWidth = 900, kHead = 64, kCellWidth = 88, kCellHeight = 100;
constexpr double kImage = 72;  // the longer side of an image
constexpr int kLevels = 7;     // shades of ink

// The ink of an image, one path for each shade: a stroke for each run of equal pixels in a row.
std::string ink_of(std::span<const std::uint8_t> pixels, int rows, int cols) {
  std::array<std::string, kLevels + 1> strokes;
  const auto level = [&](int y, int x) { return (pixels[y * cols + x] * kLevels + 127) / 255; };
  for (int y = 0; y < rows; ++y) {
    for (int x = 0, end = 0; x < cols; x = end) {
      while (end < cols && level(y, end) == level(y, x)) ++end;
      strokes[level(y, x)] +=
          "M" + std::to_string(x) + " " + std::to_string(y) + ".5h" + std::to_string(end - x);
    }
  }
  std::string out;
  for (int i = 1; i <= kLevels; ++i) {
    if (strokes[i].empty()) continue;
    const std::string shade = std::to_string(255 - 255 * i / kLevels);
    out += "<path stroke=\"rgb(" + shade + "," + shade + "," + shade + ")\" d=\"" + strokes[i] +
           "\"/>\n";
  }
  return out;
}

std::string cell_of(const data::Dataset& set, const Mistake& mistake, double x, double y) {
  const double scale = kImage / std::max(set.rows, set.cols);
  const std::string width = svg::number(set.cols * scale), height = svg::number(set.rows * scale);
  const std::string says =
      std::to_string(mistake.label) + ", read as " + std::to_string(mistake.prediction);
  return "<g transform=\"translate(" + svg::number(x) + " " + svg::number(y) +
         ")\">\n<title>test image " + std::to_string(mistake.image) + ": a " + says +
         "</title>\n<rect width=\"" + width + "\" height=\"" + height +
         "\" fill=\"#fff\" stroke=\"#ccc\"/>\n<g transform=\"scale(" + svg::number(scale, 4) +
         ")\" shape-rendering=\"crispEdges\">\n" +
         ink_of(set.image(mistake.image), set.rows, set.cols) + "</g>\n" +
         svg::text(kImage / 2, kImage + 16, 12, "middle", says) + "</g>\n";
}

}  // namespace

std::vector<Mistake> find_mistakes(const data::Dataset& set,
                                   std::span<const std::uint8_t> predictions) {
  if (predictions.size() != set.size()) {
    throw std::invalid_argument("there are " + std::to_string(predictions.size()) +
                                " predictions for " + std::to_string(set.size()) +
                                " images; expected one for each");
  }
  std::vector<Mistake> mistakes;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (predictions[i] != set.labels[i]) mistakes.push_back({i, set.labels[i], predictions[i]});
  }
  return mistakes;
}

std::string mistakes_picture(const data::Dataset& set, std::span<const std::uint8_t> predictions,
                             const std::string& title) {
  const std::vector<Mistake> mistakes = find_mistakes(set, predictions);
  if (std::max(set.rows, set.cols) > kMaxSide) {
    throw std::invalid_argument("the images are " + std::to_string(set.rows) + " x " +
                                std::to_string(set.cols) + "; expected sides of at most 64 pixels");
  }
  const std::size_t shown = std::min(mistakes.size(), kShown);
  const std::string counts =
      std::to_string(mistakes.size()) + " of " + std::to_string(set.size()) +
      " test images read wrongly" +
      (shown < mistakes.size() ? ", the first " + std::to_string(shown) : "");
  const int lines = static_cast<int>(ceil_div(shown, kColumns));
  std::string out =
      svg::start(kWidth, kHead + lines * kCellHeight + 6, title + ". " + counts + ".");
  out += svg::text(kWidth / 2.0, 26, 15, "middle", title);
  out += svg::text(kWidth / 2.0, 46, 12, "middle", counts);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t line = i / kColumns, column = i % kColumns;
    out += cell_of(set, mistakes[i], 18 + static_cast<double>(column) * kCellWidth,
                   kHead + static_cast<double>(line) * kCellHeight);
  }
  return out + "</svg>\n";
}

}  // namespace tut::ch16
