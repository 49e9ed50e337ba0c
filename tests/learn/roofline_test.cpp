#include "learn/bench/roofline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "learn/bench/gpu_sheet.hpp"
#include "learn/bench/label_layout.hpp"

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

  double at(double x) const { return y1 + (x - x1) / (x2 - x1) * (y2 - y1); }
};

struct Text {
  double left, top, right, bottom;  // before it is turned
  std::string content;
  double degrees = 0, about_x = 0, about_y = 0;

  TurnedBox box() const { return {Box{left, top, right, bottom}, degrees, about_x, about_y}; }
  bool overlaps(const Text& other) const { return box().overlaps(other.box()); }
  bool lies_on(const Line& line) const {
    return box().is_crossed_by({line.x1, line.y1, line.x2, line.y2});
  }
};

struct Picture {
  std::string svg;
  double width = 0, height = 0;
  std::vector<Circle> dots, ridges;
  std::vector<Line> roofs;   // slope and flat ones
  std::vector<Line> caches;  // the thinner slopes, the highest first
  std::vector<Text> texts;

  const Line& slope() const {
    return *std::ranges::find_if(roofs, [](const Line& line) { return line.y1 != line.y2; });
  }
  const Line& highest_roof() const {
    return *std::ranges::min_element(
        roofs, {}, [](const Line& line) { return line.y1 == line.y2 ? line.y1 : 1e9; });
  }
  /// The height of the roof over or under x.
  double roof_at(double x) const { return std::max(slope().at(x), highest_roof().y1); }
  /// The height of a power of ten on the axis, by its words.
  double tick(const std::string& words) const {
    const auto text = std::ranges::find(texts, words, &Text::content);
    return text == texts.end() ? NAN : (text->top + text->bottom) / 2;
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
  const double x = std::stod(match[4]), y = std::stod(match[5]), size = std::stod(match[6]);
  const std::string anchor = match[7], content = match[8];
  const double width = 0.55 * size * static_cast<double>(content.size());
  const double left = anchor == "start" ? x : anchor == "end" ? x - width : x - width / 2;
  Text text{left, y - 0.8 * size, left + width, y + 0.2 * size, content};
  if (match[1].matched) {
    text.degrees = std::stod(match[1]);
    text.about_x = std::stod(match[2]);
    text.about_y = std::stod(match[3]);
  }
  return text;
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
  for_each_match(
      svg, "<path d=\"M(\\S+) (\\S+)L(\\S+) (\\S+)\" fill=\"none\" [^>]*width=\"(.*?)\"",
      [&](const std::smatch& m) {
        std::vector<Line>& lines = m[5] == "2.5" ? picture.roofs : picture.caches;
        lines.push_back({std::stod(m[1]), std::stod(m[2]), std::stod(m[3]), std::stod(m[4])});
      });
  for_each_match(
      svg,
      "(?:<g transform=\"rotate\\((\\S+) (\\S+) (\\S+)\\)\">\\s<rect [^>]*>\\s)?"
      "<text x=\"(.*?)\" y=\"(.*?)\" font-size=\"(.*?)\" text-anchor=\"(.*?)\">(.*?)</text>",
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
    for (const auto* lines : {&picture.roofs, &picture.caches}) {
      for (const Line& line : *lines) CHECK_FALSE(text.lies_on(line));
    }
    for (std::size_t j = 0; j < i; ++j) {
      CAPTURE(picture.texts[j].content);
      CHECK_FALSE(text.overlaps(picture.texts[j]));
    }
    for (const Circle& dot : picture.dots) {
      CHECK_FALSE(text.overlaps({dot.x - 5, dot.y - 5, dot.x + 5, dot.y + 5, "", 0, 0, 0}));
    }
  }
  const auto count = [&](const char* start) {
    return static_cast<std::size_t>(std::ranges::count_if(
        picture.texts, [&](const Text& text) { return text.content.starts_with(start); }));
  };
  CHECK(count("memory: ") == 1);
  for (const Line& cache : picture.caches) {
    // On logarithmic axes all slopes are as steep, and all end at the highest roof.
    const Line& slope = picture.slope();
    const double steepness = (slope.y2 - slope.y1) / (slope.x2 - slope.x1);
    CHECK(std::abs(cache.at(cache.x1 + 100) - cache.y1 - 100 * steepness) <= 0.3);
    CHECK(cache.y2 == picture.highest_roof().y1);
  }
  CHECK(std::ranges::count_if(picture.texts, [](const Text& text) {
          return text.content.find(" cache: ") != text.content.npos;
        }) == static_cast<std::ptrdiff_t>(picture.caches.size()));
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
  // Each roof begins on the highest slope; its ridge point is where that of memory meets it.
  for (const Circle& ridge : picture.ridges) {
    CHECK(std::abs(picture.slope().at(ridge.x) - ridge.y) <= 0.6);
    CHECK(std::ranges::any_of(picture.roofs, [&](const Line& roof) {
      if (roof.y1 != roof.y2 || roof.y1 != ridge.y) return false;
      if (picture.caches.empty()) return roof.x1 == ridge.x;
      return roof.x1 <= ridge.x && std::abs(picture.caches[0].at(roof.x1) - roof.y1) <= 0.6;
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
        const double on_slope = picture.slope().at(dot.x);
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

TEST_CASE("chapter 01's processor: each loop just below the slope or the roof that limits it") {
  const Results results =
      load_results(fs::path(TUT_SOURCE_DIR) / "docs" / "results" / "epyc-zen4-2core" / "01.json");
  const Picture picture = read_picture(roofline_plot(results, "Title"));
  CHECK(picture.has_text("FP32, one core: 118 GFLOP/s"));
  CHECK(picture.has_text("memory: 23.1 GB/s"));
  CHECK(picture.has_text("ridge point: 5.11 FLOP/byte"));
  CHECK(picture.has_text("naive: 589 MFLOP/s"));
  CHECK(picture.has_text("reordered: 28.7 GFLOP/s"));
  CHECK(picture.has_text("eigen: 100 GFLOP/s"));
  CHECK(picture.has_text("1/32 FLOP/byte, memory"));
  CHECK(picture.has_text("1/6 FLOP/byte, first cache"));
  CHECK(picture.has_text("171 FLOP/byte, memory"));
  CHECK(picture.has_text("first cache: 209 GB/s"));
  CHECK(picture.has_text("second cache: 114 GB/s"));
  CHECK(picture.has_text("third cache: 99.9 GB/s"));
  REQUIRE(picture.caches.size() == 3);
  REQUIRE(picture.dots.size() == 3);
  const Circle &naive = picture.dots[0], &reordered = picture.dots[1], &eigen = picture.dots[2];
  const double factor_of_two =
      std::log10(2.0) * (picture.tick("1.00 GFLOP/s") - picture.tick("10.0 GFLOP/s"));
  const auto is_just_below = [&](const Circle& dot, double limit) {
    return dot.y > limit && dot.y < limit + factor_of_two;
  };
  CHECK(is_just_below(naive, picture.slope().at(naive.x)));
  CHECK(is_just_below(reordered, picture.caches[0].at(reordered.x)));
  CHECK(is_just_below(eigen, picture.highest_roof().y1));
}

TEST_CASE("where rows name their traffic, they stand over it, and caches have slopes") {
  Results results = measured();
  results.context["roof_far_cache"] = "3e12";
  CHECK(read_picture(roofline_plot(results, "Title")).caches.empty());
  results.rows[0].traffic = RowTraffic{1e9 / 0.5, "far_cache"};
  std::string svg = roofline_plot(results, "Title");
  check_picture(svg);
  Picture picture = read_picture(svg);
  CHECK(picture.has_text("far cache: 3.00 TB/s"));
  CHECK(picture.has_text("1/2 FLOP/byte, far cache"));
  CHECK(picture.has_text("100 FLOP/byte, memory"));
  REQUIRE(picture.caches.size() == 1);
  REQUIRE(picture.dots.size() == 2);
  CHECK(picture.caches[0].at(picture.dots[0].x) < picture.dots[0].y);
  CHECK(picture.slope().at(picture.dots[0].x) > picture.dots[0].y);
  // Slopes so near to each other that no name fits between them.
  for (const char* name : {"roof_b_cache", "roof_c_cache"}) results.context[name] = "3.1e12";
  check_picture(roofline_plot(results, "Title"));
  for (const char* name : {"roof_far_cache", "roof_b_cache", "roof_c_cache"}) {
    results.context.erase(name);
  }
  svg = roofline_plot(results, "Title");
  check_picture(svg);
  picture = read_picture(svg);
  CHECK(picture.caches.empty());
  CHECK(picture.has_text("1/2 FLOP/byte, far cache"));
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
