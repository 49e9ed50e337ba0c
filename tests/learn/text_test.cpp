#include "learn/core/text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tut::learn;

TEST_CASE("nearest_name finds prefixes, parts and misspellings, and nothing when nothing is near") {
  const std::vector<std::string> names = {"matmul_padded", "matmul_rectangular", "reduce_rows"};
  CHECK(nearest_name("reduce", names) == "reduce_rows");
  CHECK(nearest_name("padded", names) == "matmul_padded");
  CHECK(nearest_name("matmul_", names) == "matmul_padded");  // the shortest of two
  CHECK(nearest_name("matmul_paded", names) == "matmul_padded");
  CHECK(nearest_name("matmul_apdded", names) == "matmul_padded");
  CHECK(nearest_name("convolution", names) == std::nullopt);
  CHECK(nearest_name("", names) == std::nullopt);
  CHECK(nearest_name("chekc", std::vector<std::string>{"list", "check", "watch"}) == "check");
}

TEST_CASE("Style paints only when enabled") {
  CHECK(Style(false).red("x") == "x");
  CHECK(Style(true).red("x") == "\x1b[1;31mx\x1b[0m");
}

TEST_CASE("wants_colour: terminal, NO_COLOR and TERM") {
  CHECK(wants_colour(true, nullptr, "xterm"));
  CHECK(wants_colour(true, "", "xterm"));
  CHECK_FALSE(wants_colour(false, nullptr, "xterm"));
  CHECK_FALSE(wants_colour(true, "1", "xterm"));
  CHECK_FALSE(wants_colour(true, nullptr, "dumb"));
  CHECK_FALSE(wants_colour(true, nullptr, nullptr));
}

TEST_CASE("wrap breaks at spaces, indents and keeps line breaks") {
  CHECK(wrap("one two three", 9, 2) == "  one two\n  three\n");
  CHECK(wrap("a\nb", 10, 0) == "a\nb\n");
  CHECK(wrap("unbreakable", 4, 0) == "unbreakable\n");
  CHECK(wrap("unbreakable word", 4, 0) == "unbreakable\nword\n");
}

TEST_CASE("wrap leaves lines that fit as they are, and hangs what goes on after a break") {
  CHECK(wrap("  a   b", 7) == "  a   b\n");
  CHECK(wrap("  one two three", 11) == "  one two\n  three\n");
  CHECK(wrap("one two three four", 9, 0, 2) == "one two\n  three\n  four\n");
  CHECK(wrap("", 9).empty());
}

TEST_CASE("wrap breaks no element, product, place or list of numbers apart") {
  CHECK(wrap("inf in B(36, 4)", 12) == "inf in\nB(36, 4)\n");
  CHECK(wrap("the shape 35x39 * 39x37", 19) == "the shape\n35x39 * 39x37\n");
  CHECK(wrap("then sum += a[i] * b;", 14) == "then\nsum += a[i] * b;\n");
  CHECK(wrap("of block (0,0,0)", 12) == "of\nblock (0,0,0)\n");
  CHECK(wrap("strides 17, 66, 67", 16) == "strides\n17, 66, 67\n");
  // Words in brackets are words.
  CHECK(wrap("out (of two calls)", 12) == "out (of two\ncalls)\n");
  const std::string list = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16";
  CHECK(wrap(list, 40) == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,\n12, 13, 14, 15, 16\n");
}

TEST_CASE("wrap counts characters, not bytes, and no colours") {
  CHECK(columns_of("\x1b[1;31mabc\x1b[0m") == 3);
  CHECK(columns_of("\u2308n\u2309") == 3);
  CHECK(wrap("\x1b[1;31mone\x1b[0m two", 7) == "\x1b[1;31mone\x1b[0m two\n");
  CHECK(wrap("\u00e9\u00e9 \u00e9\u00e9", 5) == "\u00e9\u00e9 \u00e9\u00e9\n");
}

TEST_CASE("split_lines drops line ends of both kinds") {
  CHECK(split_lines("a\r\nb\n\nc") == std::vector<std::string>{"a", "b", "", "c"});
  CHECK(split_lines("").empty());
}
