#include "tut/text/terminal.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace tut {
namespace {

std::string written(std::FILE* file) {
  std::string text(static_cast<std::size_t>(std::ftell(file)), ' ');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

TEST_CASE("a file is no terminal, and gets no colour") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  CHECK_FALSE(is_terminal(file));
  CHECK_FALSE(has_colour(file));
  std::fclose(file);
  CHECK(paint("word", Colour::red, false) == "word");
  CHECK(paint("word", Colour::red, true) == "\x1b[31mword\x1b[0m");
}

TEST_CASE("progress_line: share, steps, time left, and never wider than asked") {
  CHECK(progress_line("read", 5, 10, 2.0, 60) ==
        "read  [" + std::string(14, '#') + std::string(14, '.') + "]   50%  5/10  2.0 s left");
  CHECK(progress_line("read", 10, 10, 90.0, 60).ends_with("100%  10/10  1 min 30 s"));
  CHECK(progress_line("read", 0, 10, 0.0, 60).find("left") == std::string::npos);
  for (const std::int64_t done : {0, 1, 5, 10, 11}) {
    CHECK(progress_line("read", done, 10, 100.0, 60).size() <= 60);
  }
  CHECK(progress_line("read", 1, 0, 0.0, 60).find("100%") != std::string::npos);
}

TEST_CASE("a progress bar in a file is one line at the end, without control characters") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  {
    ProgressBar bar("work", 3, file);
    bar.advance();
    bar.set(3);
    CHECK(std::ftell(file) == 0);
    bar.finish();
  }
  const std::string text = written(file);
  CHECK(text.starts_with("work  ["));
  CHECK(text.find("100%  3/3") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  std::fclose(file);
}

TEST_CASE("bar_chart scales to the largest value and aligns labels") {
  const std::vector<Bar> bars = {{"naive", 1}, {"tiled", 4}, {"cuBLAS", 2, "two"}};
  CHECK(bar_chart(bars, {.width = 8, .unit = "TFLOP/s", .utf8 = false}) ==
        "naive   ## 1 TFLOP/s\n"
        "tiled   ######## 4 TFLOP/s\n"
        "cuBLAS  #### two\n");
  CHECK(bar_chart(std::vector<Bar>{{"µ", 1}, {"ab", 2}}, {.width = 1, .utf8 = true}) ==
        "µ   ▌ 1\nab  █ 2\n");
}

TEST_CASE("bar_chart survives zeros, negative values and NaN") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(bar_chart(std::vector<Bar>{{"a", 0}, {"b", -1}, {"c", nan}}, {.utf8 = false}) ==
        "a  0\nb  -1\nc  nan\n");
  CHECK(bar_chart({}).empty());
}

}  // namespace
}  // namespace tut
