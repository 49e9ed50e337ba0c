#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "16_cnn_trainer/trainer/report/learning_curves.hpp"
#include "16_cnn_trainer/trainer/report/mistakes.hpp"
#include "svg_reader.hpp"
#include "tut/data/drawn_digits.hpp"
#include "tut/text/svg.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;
using test::SvgElement;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<EpochResult> some_epochs(int count) {
  std::vector<EpochResult> epochs;
  for (int i = 1; i <= count; ++i) epochs.push_back({i, 0.9 / i, 1 - 0.05 / i, 1000});
  return epochs;
}

std::vector<SvgElement> all(const std::vector<SvgElement>& elements, const std::string& name) {
  std::vector<SvgElement> found;
  std::copy_if(elements.begin(), elements.end(), std::back_inserter(found),
               [&](const SvgElement& element) { return element.name == name; });
  return found;
}

bool has_text(const std::vector<SvgElement>& elements, const std::string& text) {
  return std::any_of(elements.begin(), elements.end(),
                     [&](const SvgElement& element) { return element.text == text; });
}

// What every picture has: a role and a title for a screen reader, and nothing outside of it.
std::vector<SvgElement> read_picture(const std::string& svg) {
  std::vector<SvgElement> elements = test::read_svg(svg);
  REQUIRE(elements.size() > 2);
  CHECK(elements[0].name == "svg");
  CHECK(elements[0].attribute("role") == "img");
  CHECK(elements[1].name == "title");
  CHECK(!elements[1].text.empty());
  CHECK(svg.ends_with("</svg>\n"));
  return elements;
}

// The lines of data: strokes of width 2 above the legend.
std::vector<std::vector<double>> curves_in(const std::vector<SvgElement>& elements) {
  std::vector<std::vector<double>> curves;
  for (const SvgElement& path : all(elements, "path")) {
    const std::vector<double> numbers = test::svg_numbers(path.attribute("d"));
    if (path.attribute("stroke-width") == "2" && numbers[1] < 340) curves.push_back(numbers);
  }
  return curves;
}

void check_bounds(const std::vector<SvgElement>& elements) {
  for (const auto& curve : curves_in(elements)) {
    REQUIRE(curve.size() % 2 == 0);
    for (std::size_t i = 0; i < curve.size(); i += 2) {
      CHECK(curve[i] >= 80);
      CHECK(curve[i] <= 870);
      CHECK(curve[i + 1] >= 70);
      CHECK(curve[i + 1] <= 290);
    }
  }
  for (const SvgElement& text : all(elements, "text")) {
    const double x = test::svg_numbers(text.attribute("x")).at(0);
    const double y = test::svg_numbers(text.attribute("y")).at(0);
    CHECK(x >= 0);
    CHECK(x <= 900);
    CHECK(y > 0);
    CHECK(y <= 370);
  }
}

}  // namespace

TEST_CASE("pictures: text is escaped, and numbers are short") {
  CHECK(svg::escaped("a<b & \"c\" 'd'>") == "a&lt;b &amp; &quot;c&quot; &#39;d&#39;&gt;");
  CHECK(svg::escaped("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  // A control character, broken and overlong UTF-8, a surrogate, U+FFFF, the end within a
  // character.
  CHECK(svg::escaped("a\x01\n\x7f"
                     "b") == "a???b");
  CHECK(svg::escaped("\xff\xc0\xaf\xe0\x80\xaf") == "??????");
  CHECK(svg::escaped("\xed\xa0\x80") == "???");
  CHECK(svg::escaped("\xef\xbf\xbf") == "???");
  CHECK(svg::escaped("\xc2\x9b") == "??");
  CHECK(svg::escaped("x\xe2\x82") == "x??");
  CHECK(svg::escaped("\xc3\xa9\xc3\xa9\xc3\xa9", 2) == "\xc3\xa9\xc3\xa9...");
  CHECK(svg::number(3) == "3");
  CHECK(svg::number(3.25) == "3.2");
  CHECK(svg::number(-0.01) == "0");
  CHECK(svg::number(100) == "100");
  CHECK(svg::number(-0.5) == "-0.5");
  CHECK(svg::number(1e300).size() == 301);
}

TEST_CASE("pictures: the curves are where the results say") {
  const Curve curve{"kernels", {{1, 0.8, 0.95, 1}, {2, 0.4, 0.97, 1}, {3, 0.2, 0.98, 1}}};
  const std::string svg = learning_curves({&curve, 1}, "Digits & <seed 1>");
  const auto elements = read_picture(svg);
  CHECK(elements[1].text ==
        "Digits &amp; &lt;seed 1&gt;. Loss and test accuracy by epoch. kernels after epoch 3: loss "
        "0.2, accuracy 98 %.");
  CHECK(has_text(elements, "Digits &amp; &lt;seed 1&gt;"));
  const auto curves = curves_in(elements);
  REQUIRE(curves.size() == 2);
  // From 80 to 420 for the epochs 1 to 3; from 290 up to 70 for a loss of 0 to 0.8.
  CHECK(curves[0] == std::vector<double>{80, 70, 250, 180, 420, 235});
  // Another panel, from 530; accuracies from 95 % to 100 %.
  CHECK(curves[1] == std::vector<double>{530, 290, 700, 202, 870, 158});
  for (const char* tick : {"0", "0.2", "0.4", "0.6", "0.8", "95 %", "100 %", "1", "2", "3",
                           "training loss", "test accuracy", "epoch"}) {
    CAPTURE(tick);
    CHECK(has_text(elements, tick));
  }
  CHECK(all(elements, "circle").size() == 6);
  CHECK(learning_curves({&curve, 1}, "Digits & <seed 1>") == svg);
  check_bounds(elements);
}

TEST_CASE("pictures: one epoch, many, four models, and figures that are none") {
  for (const int count : {1, 2, 40, 41, 300, 301, 5000}) {
    CAPTURE(count);
    const std::vector<Curve> curves(4, {"a model with quite a long name", some_epochs(count)});
    const std::string svg = learning_curves(curves, "t");
    CHECK(svg.size() < 64 * 1024);
    const auto elements = read_picture(svg);
    check_bounds(elements);
    CHECK(all(elements, "circle").size() == (count <= 40 ? 8u * count : 0u));
    const auto lines = curves_in(elements);
    REQUIRE(lines.size() == 8);
    CHECK(lines[0].size() >= 2u * std::min(count, 150));
    if (count > 1) CHECK(lines[0][lines[0].size() - 2] == 420);  // the last epoch is there
    CHECK(has_text(elements, "a model with quite a l..."));
  }
  const Curve dozen{"x", some_epochs(12)};
  for (const char* tick : {"5", "10"}) {
    CHECK(has_text(read_picture(learning_curves({&dozen, 1}, "t")), tick));
  }

  Curve diverged{"",
                 {{1, 2.3, 0.1, 1}, {2, kNan, 0.1, 1}, {3, 0.5, kNan, 1}, {4, kInfinity, 0, 1}}};
  auto elements = read_picture(learning_curves({&diverged, 1}, ""));
  check_bounds(elements);
  CHECK(elements[1].text.find("loss not finite") != std::string::npos);
  const SvgElement* line = nullptr;  // of two points, one on each side of the gap
  for (const SvgElement& element : elements) {
    if (!line && element.attribute("stroke-width") == "2") line = &element;
  }
  REQUIRE(line);
  CHECK(line->attribute("d") == "M80 87.6M306.7 246");
  CHECK(all(elements, "circle").size() == 2 + 3);

  for (const double loss : {0.0, 1e-30, 1e300, kNan}) {
    CAPTURE(loss);
    const Curve flat{"x", {{7, loss, 1.0, 1}, {8, loss, 1.0, 1}}};
    elements = read_picture(learning_curves({&flat, 1}, "flat"));
    check_bounds(elements);
    CHECK(has_text(elements, "99 %"));
  }
}

TEST_CASE("pictures: what cannot be drawn is refused") {
  CHECK_THROWS_AS(learning_curves({}, "t"), std::invalid_argument);
  const std::vector<Curve> five(5, {"", some_epochs(2)});
  CHECK_THROWS_AS(learning_curves(five, "t"), std::invalid_argument);
  const std::vector<Curve> empty{{"a", some_epochs(1)}, {"b", {}}};
  CHECK_THROWS_WITH_AS(
      learning_curves(empty, "t"),
      "there are 2 curves, one without epochs; expected 1 to 4 with at least one epoch each",
      std::invalid_argument);
  const data::Dataset digits = data::draw_digits(3, 1);
  CHECK_THROWS_WITH_AS(mistakes_picture(digits, std::vector<std::uint8_t>(2), "t"),
                       "there are 2 predictions for 3 images; expected one for each",
                       std::invalid_argument);
  const data::Dataset large{std::vector<std::uint8_t>(65), {1}, 1, 65, 10};
  CHECK_THROWS_AS(mistakes_picture(large, std::vector<std::uint8_t>(1), "t"),
                  std::invalid_argument);
}

TEST_CASE("pictures: the mistakes are those, with label and prediction") {
  const data::Dataset digits = data::draw_digits(200, 4);
  std::vector<std::uint8_t> predictions = digits.labels;
  const std::string none = mistakes_picture(digits, predictions, "Good");
  read_picture(none);
  CHECK(none.find("0 of 200 test images read wrongly<") != std::string::npos);
  predictions[7] = 1;
  predictions[30] = 255;
  CHECK(find_mistakes(digits, predictions) == std::vector<Mistake>{{7, 7, 1}, {30, 0, 255}});
  auto elements = read_picture(mistakes_picture(digits, predictions, "Two <bad> ones"));
  CHECK(elements[1].text == "Two &lt;bad&gt; ones. 2 of 200 test images read wrongly.");
  CHECK(has_text(elements, "test image 7: a 7, read as 1"));
  CHECK(has_text(elements, "0, read as 255"));

  for (std::uint8_t& prediction : predictions)
    prediction = static_cast<std::uint8_t>((prediction + 1) % 10);
  const std::string svg = mistakes_picture(digits, predictions, "All");
  CHECK(svg.size() < 200 * 1024);
  CHECK(svg == mistakes_picture(digits, predictions, "All"));
  elements = read_picture(svg);
  CHECK(has_text(elements, "200 of 200 test images read wrongly, the first 40"));
  CHECK(all(elements, "title").size() == 41);
  for (const SvgElement& group : all(elements, "g")) {
    const std::string transform = group.attribute("transform");
    if (!transform.starts_with("translate")) continue;
    const std::vector<double> place = test::svg_numbers(transform);
    CHECK(place.at(0) >= 0);
    CHECK(place.at(0) + 72 <= 900);
    CHECK(place.at(1) + 100 <= 470);
  }
}

TEST_CASE("pictures: a mistake's image is the one of the set, in eight shades") {
  for (const auto& sides : {std::pair{28, 28}, {1, 1}, {3, 64}, {64, 2}}) {
    const int rows = sides.first, cols = sides.second;
    CAPTURE(rows);
    CAPTURE(cols);
    data::Dataset set{{}, {3}, rows, cols, 10};
    for (int i = 0; i < rows * cols; ++i) {
      set.images.push_back(static_cast<std::uint8_t>(i % 7 < 3 ? 0 : i * 37 % 256));
    }
    const auto elements = read_picture(mistakes_picture(set, std::vector<std::uint8_t>{5}, "one"));
    std::vector<int> drawn(set.images.size(), 0);
    for (const SvgElement& path : all(elements, "path")) {
      const double shade = test::svg_numbers(path.attribute("stroke")).at(0);
      const std::vector<double> runs = test::svg_numbers(path.attribute("d"));
      REQUIRE(runs.size() % 3 == 0);
      for (std::size_t i = 0; i < runs.size(); i += 3) {
        for (int x = 0; x < static_cast<int>(runs[i + 2]); ++x) {
          const auto y = static_cast<std::size_t>(runs[i + 1]);
          const std::size_t column = static_cast<std::size_t>(runs[i]) + x;
          REQUIRE(column < static_cast<std::size_t>(cols));
          drawn.at(y * cols + column) += 255 - static_cast<int>(shade);
        }
      }
    }
    int worst = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      worst = std::max(worst, std::abs(drawn[i] - set.images[i]));
    }
    CHECK(worst <= 19);  // half a step of 255 / 7, rounded
  }
}
