#include "learn/bench/roofline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "learn/bench/gpu_sheet.hpp"

using namespace tut::learn;

// Pictures are looked at as a reader sees them: by what the SVG draws where.
namespace {

namespace fs = std::filesystem;

// Below the frame there is a list of what the dots' numbers mean.
constexpr double frame_bottom = 452;

struct Circle {
  double x, y, radius;
  std::string fill;
};

struct Line {
  double x1, y1, x2, y2;
};

struct Text {
  double left, top, right, bottom;
  std::string content;

  bool overlaps(const Text& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

struct Picture {
  std::string svg;
  double width = 0, height = 0;
  std::vector<Circle> dots, ridges;
  std::vector<Line> roofs;  // slope and flat ones
  std::vector<Text> texts;

  const Line& slope() const {
    return *std::ranges::find_if(roofs, [](const Line& line) { return line.y1 != line.y2; });
  }
  const Line& highest_roof() const {
    return *std::ranges::min_element(
        roofs, {}, [](const Line& line) { return line.y1 == line.y2 ? line.y1 : 1e9; });
  }
  /// The height of the roof over or under x.
  double roof_at(double x) const {
    const Line& line = slope();
    const double on_slope = line.y1 + (x - line.x1) / (line.x2 - line.x1) * (line.y2 - line.y1);
    return std::max(on_slope, highest_roof().y1);
  }
  bool has(const std::string& words) const { return svg.find(words) != svg.npos; }
  bool has_text(const std::string& words) const {
    return std::ranges::find(texts, words, &Text::content) != texts.end();
  }
};

template <class Found>
void for_each_match(const std::string& svg, const char* pattern, Found found) {
  const std::regex expression(pattern);
  for (std::sregex_iterator at(svg.begin(), svg.end(), expression), end; at != end; ++at) {
    found(*at);
  }
}

Text text_of(const std::smatch& match) {
  const double x = std::stod(match[1]), y = std::stod(match[2]), size = std::stod(match[3]);
  const std::string anchor = match[4], content = match[5];
  const double width = 0.55 * size * static_cast<double>(content.size());
  const double left = anchor == "start" ? x : anchor == "end" ? x - width : x - width / 2;
  return {left, y - 0.8 * size, left + width, y + 0.2 * size, content};
}

Picture read_picture(const std::string& svg) {
  Picture picture;
  picture.svg = svg;
  for_each_match(svg, "viewBox=\"0 0 (\\S+) ([^\"]+)\"", [&](const std::smatch& m) {
    picture.width = std::stod(m[1]);
    picture.height = std::stod(m[2]);
  });
  for_each_match(svg, "<circle cx=\"(.*?)\" cy=\"(.*?)\" r=\"(.*?)\" fill=\"(.*?)\"",
                 [&](const std::smatch& m) {
                   const Circle circle{std::stod(m[1]), std::stod(m[2]), std::stod(m[3]), m[4]};
                   if (circle.radius == 5 && circle.y <= frame_bottom)
                     picture.dots.push_back(circle);
                   if (circle.radius == 4) picture.ridges.push_back(circle);
                 });
  for_each_match(svg, "<path d=\"M(\\S+) (\\S+)L(\\S+) (\\S+)\" fill=\"none\" [^>]*width=\"2.5\"",
                 [&](const std::smatch& m) {
                   picture.roofs.push_back(
                       {std::stod(m[1]), std::stod(m[2]), std::stod(m[3]), std::stod(m[4])});
                 });
  for_each_match(
      svg, "<text x=\"(.*?)\" y=\"(.*?)\" font-size=\"(.*?)\" text-anchor=\"(.*?)\">(.*?)</text>",
      [&](const std::smatch& m) { picture.texts.push_back(text_of(m)); });
  return picture;
}

ResultRow row_of(const std::string& step, double intensity, double rate) {
  ResultRow row;
  row.name = row.step = step;
  row.ladder = "matmul";
  row.size = "64";
  row.flops = 1e9;
  row.bytes = 1e9 / intensity;
  row.arithmetic = "fp32";
  row.seconds = {1e9 / rate};
  return row;
}

/// 1 TB/s and 10 TFLOP/s: they meet at 10 FLOPs for each byte.
Results measured() {
  Results results;
  results.context = {{"backend", "cuda"}, {"roof_memory", "1e12"}, {"roof_fp32", "1e13"}};
  results.rows = {row_of("naive <a> & b", 100, 1e12), row_of("library", 100, 8e12)};
  results.rows[1].rival = true;
  return results;
}

std::vector<fs::path> kept_results_of(const std::string& device) {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(fs::path(TUT_SOURCE_DIR) / "docs" / "results" / device)) {
    const std::string name = entry.path().filename().string();
    if (name.size() == 7 && name.ends_with(".json")) files.push_back(entry.path());  // NN.json
  }
  std::ranges::sort(files);
  return files;
}

/// Whether there is something to draw: FLOPs, of an arithmetic that the device has a roof for.
bool has_flops(const Results& results) {
  return std::ranges::any_of(ladders_of(results), [&](const ResultLadder& ladder) {
    return std::ranges::any_of(ladder.rows, [&](const ResultRow& row) {
      return row.flops > 0 && results.roof(row.arithmetic) > 0 &&
             (row.counted || !row.seconds.empty());
    });
  });
}

/// What every picture has to be: no text on another, none over the edge, nothing that is no number.
void check_picture(const std::string& svg) {
  const Picture picture = read_picture(svg);
  CAPTURE(svg);
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK_FALSE(picture.has("nan"));
  CHECK_FALSE(picture.has("inf"));
  REQUIRE(picture.roofs.size() >= 2);
  REQUIRE(picture.ridges.size() == picture.roofs.size() - 1);
  for (std::size_t i = 0; i < picture.texts.size(); ++i) {
    const Text& text = picture.texts[i];
    CAPTURE(text.content);
    CHECK(text.left >= 0);
    CHECK(text.right <= picture.width);
    CHECK(text.bottom <= picture.height);
    for (std::size_t j = 0; j < i; ++j) {
      CAPTURE(picture.texts[j].content);
      CHECK_FALSE(text.overlaps(picture.texts[j]));
    }
    for (const Circle& dot : picture.dots) {
      CHECK_FALSE(text.overlaps({dot.x - 5, dot.y - 5, dot.x + 5, dot.y + 5, ""}));
    }
  }
  const auto count = [&](const char* start) {
    return static_cast<std::size_t>(std::ranges::count_if(
        picture.texts, [&](const Text& text) { return text.content.starts_with(start); }));
  };
  CHECK(count("memory: ") == 1);
  CHECK(count("ridge point: ") == picture.ridges.size());
  // Where dots have numbers, each number of the list stands at a dot.
  std::vector<std::string> listed, numbers;
  for (const Text& text : picture.texts) {
    if (text.top > frame_bottom + 60)
      listed.push_back(text.content.substr(0, text.content.find(' ')));
    if (text.bottom > frame_bottom ||
        text.content.find_first_not_of("0123456789, ") != text.content.npos)
      continue;
    for_each_match(text.content, "[0-9]+", [&](const std::smatch& m) { numbers.push_back(m[0]); });
  }
  for (const std::string& number : listed) {
    CAPTURE(number);
    CHECK(std::ranges::count(numbers, number) == 1);
  }
  CHECK(listed.size() == numbers.size());
  // Each roof begins on the slope, at its ridge point.
  for (const Circle& ridge : picture.ridges) {
    const Line& slope = picture.slope();
    const double on_slope =
        slope.y1 + (ridge.x - slope.x1) / (slope.x2 - slope.x1) * (slope.y2 - slope.y1);
    CHECK(std::abs(on_slope - ridge.y) <= 0.6);
    CHECK(std::ranges::any_of(picture.roofs, [&](const Line& roof) {
      return roof.y1 == roof.y2 && roof.y1 == ridge.y && roof.x1 == ridge.x;
    }));
  }
}

}  // namespace

TEST_CASE("a roofline has its roofs with their rates, its ridge point, and a named dot a row") {
  const std::string svg = roofline_plot(measured(), "Title");
  check_picture(svg);
  const Picture picture = read_picture(svg);
  CHECK(picture.has("<title>Title. "));
  CHECK(picture.has_text("FP32 on CUDA cores: 10.0 TFLOP/s"));
  CHECK(picture.has_text("memory: 1.00 TB/s"));
  CHECK(picture.has_text("ridge point: 10 FLOP/byte"));
  CHECK(picture.has_text("naive &lt;a&gt; &amp; b: 1.00 TFLOP/s"));
  CHECK(picture.has_text("library: 8.00 TFLOP/s"));
  CHECK(picture.dots.size() == 2);
  CHECK(svg == roofline_plot(measured(), "Title"));
}

TEST_CASE("what a roofline's places mean: a decade is as wide everywhere") {
  Results results = measured();
  // Dots at the ridge point itself, a decade below it on the slope, and a tenth of the roof.
  results.rows = {row_of("a", 10, 1e13), row_of("b", 1, 1e12), row_of("c", 10, 1e12)};
  const Picture picture = read_picture(roofline_plot(results, "Title"));
  REQUIRE(picture.dots.size() == 3);
  const Circle &a = picture.dots[0], &b = picture.dots[1], &c = picture.dots[2];
  REQUIRE(picture.ridges.size() == 1);
  CHECK(a.x == picture.ridges[0].x);
  CHECK(a.y == picture.ridges[0].y);
  CHECK(std::abs(b.y - picture.roof_at(b.x)) <= 0.6);
  CHECK(c.x == a.x);
  CHECK(c.y == b.y);
}

TEST_CASE("measured dots lie under their roofs") {
  const Picture picture = read_picture(roofline_plot(measured(), "Title"));
  for (const Circle& dot : picture.dots) CHECK(dot.y > picture.roof_at(dot.x));
  for (const fs::path& file : kept_results_of("nvidia-h200")) {
    const Results results = load_results(file);
    const std::string svg = roofline_plot(results, "Title");
    // By WMMA tensor cores reach a part of what libraries do.
    if (svg.empty() || svg.find("by WMMA") != svg.npos) continue;
    CAPTURE(file);
    const Picture kept = read_picture(svg);
    for (const Circle& dot : kept.dots) CHECK(dot.y > kept.roof_at(dot.x));
  }
}

TEST_CASE("bounds are rings on the roofs of each GPU's data sheet") {
  const std::vector<GpuSheet> sheets = load_gpu_sheets(TUT_SOURCE_DIR);
  int pictures = 0;
  for (const GpuSheet& sheet : sheets) {
    for (const fs::path& file : kept_results_of("cpu_backend")) {
      const Results results = with_roofs_of(sheet, load_results(file));
      const std::string svg = roofline_plot(results, "Chapter: bounds of " + sheet.title);
      if (!has_flops(results)) continue;
      ++pictures;
      CAPTURE(sheet.name);
      CAPTURE(file);
      check_picture(svg);
      const Picture picture = read_picture(svg);
      CHECK(picture.has("not measured"));
      for (const Circle& dot : picture.dots) {
        CHECK(dot.fill == "#fff");
        const Line& slope = picture.slope();
        const double on_slope =
            slope.y1 + (dot.x - slope.x1) / (slope.x2 - slope.x1) * (slope.y2 - slope.y1);
        const bool on_roof = std::ranges::any_of(picture.roofs, [&](const Line& roof) {
          return roof.y1 == roof.y2 && std::abs(roof.y1 - dot.y) <= 0.6 && dot.x >= roof.x1 - 0.6;
        });
        CHECK((on_roof || std::abs(on_slope - dot.y) <= 0.6));
      }
    }
  }
  CHECK(pictures >= 5 * 7);
}

TEST_CASE("labels do not overlap in any kept picture") {
  for (const char* device : {"nvidia-h200", "epyc-zen4-2core", "epyc-zen5-2core"}) {
    int pictures = 0;
    for (const fs::path& file : kept_results_of(device)) {
      const Results results = load_results(file);
      const std::string svg = roofline_plot(results, "Chapter: measured on a device");
      if (!has_flops(results) || results.roof("memory") <= 0) continue;
      CAPTURE(file);
      check_picture(svg);
      ++pictures;
    }
    CAPTURE(device);
    CHECK(pictures > 0);
  }
}

TEST_CASE("chapter 05 on an H100: 67 TFLOP/s over 3.35 TB/s are 20 FLOPs for each byte") {
  const std::vector<GpuSheet> sheets = load_gpu_sheets(TUT_SOURCE_DIR);
  const Results counts =
      load_results(fs::path(TUT_SOURCE_DIR) / "docs" / "results" / "cpu_backend" / "05.json");
  const Picture picture =
      read_picture(roofline_plot(with_roofs_of(pick_gpu(sheets, "h100"), counts), "Title"));
  CHECK(picture.has_text("ridge point: 20 FLOP/byte"));
  CHECK(picture.has_text("memory: 3.35 TB/s"));
  CHECK(picture.has_text("FP32 on CUDA cores: 67.0 TFLOP/s"));
  CHECK(picture.has_text("matmul_coalesced: 1.34 TFLOP/s"));
  CHECK(picture.has_text("matmul_tiled: 25.2 TFLOP/s"));
  CHECK(picture.has_text("each byte moved once: 67.0 TFLOP/s"));
  CHECK(picture.dots.size() == 3);
}

TEST_CASE("chapter 01's processor: one core's roof, and the three loops under it") {
  const Results results =
      load_results(fs::path(TUT_SOURCE_DIR) / "docs" / "results" / "epyc-zen4-2core" / "01.json");
  const Picture picture = read_picture(roofline_plot(results, "Title"));
  CHECK(picture.has_text("FP32, one core: 118 GFLOP/s"));
  CHECK(picture.has_text("memory: 23.1 GB/s"));
  CHECK(picture.has_text("ridge point: 5.11 FLOP/byte"));
  CHECK(picture.has_text("naive: 589 MFLOP/s"));
  CHECK(picture.has_text("reordered: 28.7 GFLOP/s"));
  CHECK(picture.has_text("eigen: 100 GFLOP/s"));
  for (const Circle& dot : picture.dots) CHECK(dot.y > picture.roof_at(dot.x));
}

TEST_CASE("more dots than have room for their names have numbers and a list") {
  Results results = measured();
  results.rows.clear();
  for (int i = 0; i < 25; ++i) {
    results.rows.push_back(row_of("kernel " + std::to_string(i), 100, 1e12 * (1 + i % 5)));
    results.rows.back().order = i;
  }
  const std::string svg = roofline_plot(results, "Title");
  check_picture(svg);
  const Picture picture = read_picture(svg);
  CHECK(picture.has_text("25  kernel 24: 5.00 TFLOP/s"));
  CHECK(picture.has_text("1, 6, 11, 16, 21"));
}

TEST_CASE("arithmetics of one rate share a roof; each used one has its ridge point") {
  Results counts;
  counts.context = {{"counted", "true"},   {"roof_memory", "1e12"}, {"roof_fp32", "2e13"},
                    {"roof_fp16", "4e14"}, {"roof_bf16", "4e14"},   {"roof_tf32", "1e14"}};
  for (const char* arithmetic : {"fp16", "bf16"}) {
    counts.rows.push_back(row_of(arithmetic, 100, 1));
    counts.rows.back().seconds.clear();
    counts.rows.back().arithmetic = arithmetic;
    counts.rows.back().counted = CountedRow{.bytes_moved = 1e8};
  }
  const std::string svg = roofline_plot(counts, "Title");
  check_picture(svg);
  const Picture picture = read_picture(svg);
  CHECK(picture.has_text("BF16 and FP16 on tensor cores: 400 TFLOP/s"));
  CHECK(picture.has_text("FP32 on CUDA cores: 20.0 TFLOP/s"));
  CHECK_FALSE(picture.has("TF32"));
  CHECK(picture.has_text("ridge point: 400 FLOP/byte"));
  CHECK(picture.has_text("ridge point: 20 FLOP/byte"));
}

TEST_CASE("no roofline without roofs, or without FLOPs") {
  CHECK(roofline_plot({}, "Title").empty());
  Results results = measured();
  results.context.erase("roof_memory");
  CHECK(roofline_plot(results, "Title").empty());
  results = measured();
  results.context.erase("roof_fp32");
  CHECK(roofline_plot(results, "Title").empty());
  results = measured();
  for (ResultRow& row : results.rows) row.flops = 0;
  CHECK(roofline_plot(results, "Title").empty());
  results = measured();
  results.context["counted"] = "true";
  CHECK(roofline_plot(results, "Title").empty());  // nothing was counted
}
