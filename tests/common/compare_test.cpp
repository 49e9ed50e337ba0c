#include "tut/compare/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "compare_case.hpp"

namespace tut {
namespace {

TEST_CASE("a result within its bound is right, and says nothing") {
  const auto expected = reference(5, 7);
  auto got = to_float(expected);
  got(2, 3) += static_cast<float>(0.5 * bound);
  const Outcome result = outcome(got, expected);
  CHECK(result.ok);
  CHECK(result.kind.empty());
  CHECK(result.report.empty());
}

TEST_CASE("an error just above the bound is wrong") {
  const HostMatrix<double> expected = make_matrix<double>(1, 1, [](int, int) { return 1.0; });
  const HostMatrix<float> got = make_matrix<float>(1, 1, [](int, int) { return 1 + 0x1p-20f; });
  const auto bounds = [](double b) {
    return make_matrix<double>(1, 1, [=](int, int) { return b; });
  };
  CHECK(compare(got.cview(), expected, bounds(0x1p-20)).ok);
  CHECK_FALSE(compare(got.cview(), expected, bounds(0x1p-20 * 0.999)).ok);
}

TEST_CASE("NaN passes only where it is expected, an infinity only where that one is") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  const auto one = [](double value) {
    return make_matrix<double>(1, 1, [=](int, int) { return value; });
  };
  const HostMatrix<float> got = to_float(one(1)), got_nan = to_float(one(nan));
  CHECK(compare(got.cview(), one(1), one(1)).ok);
  CHECK_FALSE(compare(got_nan.cview(), one(1), one(1)).ok);
  CHECK_FALSE(compare(got.cview(), one(nan), one(1)).ok);
  CHECK_FALSE(compare(got.cview(), one(2), one(nan)).ok);
  CHECK_FALSE(compare(got_nan.cview(), one(1), one(inf)).ok);
  CHECK(compare(got_nan.cview(), one(nan), one(nan)).ok);
  CHECK(compare(to_float(one(inf)).cview(), one(inf), one(nan)).ok);
  CHECK_FALSE(compare(to_float(one(-inf)).cview(), one(inf), one(inf)).ok);
  CHECK_FALSE(compare(got.cview(), one(inf), one(inf)).ok);
  CHECK_FALSE(compare(to_float(one(inf)).cview(), one(1e39), one(1)).ok);
  HostMatrix<float> missing = got;
  missing(0, 0) = unwritten_value<float>();
  CHECK(mentions(compare(missing.cview(), one(nan), one(1)).report, ": 1 of 1 element was never"));
}

TEST_CASE("shapes that differ are an error, not a comparison") {
  CHECK_THROWS_AS(outcome(HostMatrix<float>(2, 3), reference(3, 2)), std::invalid_argument);
}

TEST_CASE("the report names the first wrong element, how many, the shape and the kind") {
  const auto expected =
      make_matrix<double>(64, 64, [](int r, int c) { return 1.25 + 0.001 * (r * 64 + c); });
  auto got = to_float(expected);
  got(3, 17) = 0;
  got(40, 2) = 5;
  const Outcome result = outcome(got, expected, {.name = "C", .shape = "shape 64x48 * 48x64"});
  CHECK_FALSE(result.ok);
  CHECK(result.kind == "values");
  CHECK(
      mentions(result.report,
               "C: 2 of 4096 elements are wrong, first at row 3, column 17: expected 1.459, got 0 "
               "(shape 64x48 * 48x64)\n"));
  CHECK(mentions(result.report, "\nkind: values"));
  CHECK(result.report.ends_with("kind: values"));
}

TEST_CASE("the largest error is said of several wrong elements, not of one") {
  const auto expected = reference(3, 4);
  auto got = to_float(expected);
  got(1, 2) = 9;
  CHECK_FALSE(mentions(outcome(got, expected).report, "largest error"));
  got(2, 1) = 10;
  CHECK(mentions(outcome(got, expected).report, "  largest error: "));
}

TEST_CASE("expected and got are printed with enough digits to differ") {
  const auto expected = make_matrix<double>(1, 1, [](int, int) { return 1.0; });
  const auto got = make_matrix<double>(1, 1, [](int, int) { return 1.00000000012; });
  const auto zero = make_matrix<double>(1, 1, [](int, int) { return 0.0; });
  CHECK(mentions(compare(got.cview(), expected, zero).report, "expected 1, got 1.0000000001"));
}

TEST_CASE("the picture has a cell for each element of a small matrix") {
  const auto expected = reference(3, 4);
  auto got = to_float(expected);
  got(1, 2) = 9;
  got(2, 0) = unwritten_value<float>();
  CHECK(mentions(outcome(got, expected).report,
                 "  3 rows, 4 columns:\n    ....\n    ..x.\n    ?...\n"));
}

TEST_CASE("the picture of a large matrix has at most 16 rows of 32 cells, and wrong wins") {
  const auto expected = reference(64, 100);
  auto got = to_float(expected);
  got(63, 99) = 9;
  got(62, 98) = unwritten_value<float>();
  const std::string report = outcome(got, expected).report;
  CHECK(mentions(report, "64 rows, 100 columns, 4x4 to a cell:\n"));
  CHECK(mentions(report, "    " + std::string(24, '.') + "x\n"));
  CHECK(mentions(report, "    " + std::string(25, '.') + "\n"));
}

TEST_CASE("where nearly every element is wrong, or a single one, there is no picture") {
  const auto expected = reference(3, 4);
  auto got = make_matrix<float>(3, 4, [](int, int) { return 9.0f; });
  CHECK_FALSE(mentions(outcome(got, expected).report, "x wrong"));
  got(0, 0) = static_cast<float>(expected(0, 0));
  CHECK_FALSE(mentions(outcome(got, expected).report, "x wrong"));
  got(0, 1) = static_cast<float>(expected(0, 1));
  CHECK(mentions(outcome(got, expected).report, "    ..xx\n    xxxx\n    xxxx\n"));
  got = to_float(expected);
  got(1, 2) = 9;
  CHECK_FALSE(mentions(outcome(got, expected).report, "x wrong"));
}

TEST_CASE("a vector that is made of planes is drawn with a line for each") {
  const auto expected = reference(1, 6 * 35);
  const auto in_planes = [](int, int c) { return c / 35 % 3 != 0; };
  const auto got = spoil(expected, in_planes);
  const std::string report = outcome(got, expected, {.is_vector = true, .planes = 6}).report;
  CHECK(mentions(report,
                 "  6 planes, 35 elements each, 1x2 to a cell:\n"
                 "    ..................\n"
                 "    xxxxxxxxxxxxxxxxxx\n"
                 "    xxxxxxxxxxxxxxxxxx\n"
                 "    ..................\n"));
  CHECK(mentions(report, "pattern: every element of the planes 1 to 2 of every 3 is wrong\n"));
  CHECK(mentions(report, "first at element 35:"));
  const std::string flat = outcome(got, expected, {.is_vector = true}).report;
  CHECK(mentions(flat, "210 elements:\n    ................................\n    ...xxxxx"));
  // Parts of all planes are no planes.
  const auto tails = spoil(expected, [](int, int c) { return c % 35 >= 32; });
  CHECK_FALSE(mentions(outcome(tails, expected, {.is_vector = true, .planes = 6}).report,
                       "element of the"));
}

TEST_CASE("a result of one element is no element of several") {
  const auto one = [](double value) {
    return make_matrix<double>(1, 1, [=](int, int) { return value; });
  };
  constexpr double inf = std::numeric_limits<double>::infinity();
  const std::string report =
      outcome(to_float(one(std::nan(""))), one(inf), {.name = "*out", .shape = "n = 7"}).report;
  CHECK(report.starts_with("*out: expected inf, got NaN (n = 7)\n"));
  CHECK(mentions(report, "left out by a condition, not by a factor of 0\nkind: "));
  CHECK_FALSE(mentions(report, "stride"));
  CHECK(mentions(outcome(to_float(one(std::nan(""))), one(1)).report,
                 "does the stride lead from one row to the next?"));
}

TEST_CASE("words of bits are shown in hexadecimal, with the first bit that is wrong") {
  const std::vector<std::uint32_t> expected = {7, 0x80000010, 0}, got = {7, 0x80000003, 0};
  CHECK(compare_words(got, expected, "bits").report ==
        "bits: 3 bits in 1 of 3 words are wrong, first at word 1: expected 0x80000010, got "
        "0x80000003: bit 0 should be 0\nkind: values");
  CHECK(compare_words<std::uint32_t>({4}, {0x14}, "bits").report ==
        "bits: expected 0x00000014, got 0x00000004: bit 4 should be 1\nkind: values");
  CHECK(compare_words<std::uint8_t>({4, 2, 1}, {4, 2, 1}, "bits").ok);
  CHECK_FALSE(mentions(compare_words<std::uint8_t>({4, 2}, {5, 3}, "bits").report, "pattern"));
  const std::vector<std::uint32_t> missing(2, unwritten_value<std::uint32_t>());
  CHECK(mentions(compare_words(missing, {5, 6}, "bits").report,
                 "first at word 0: expected 0x00000005, got nothing"));
}

TEST_CASE("a vector is drawn in reading order, 512 cells at most") {
  const auto expected = reference(1, 1025);
  auto got = to_float(expected);
  got(0, 1023) = got(0, 1024) = 9;
  const std::string report = outcome(got, expected, {.name = "y", .is_vector = true}).report;
  CHECK(mentions(report, "y: 2 of 1025 elements are wrong, first at element 1023: expected"));
  CHECK(mentions(report, "1025 elements, 3 to a cell:\n"));
  CHECK(mentions(report, std::string(21, '.') + "x\n"));
}

TEST_CASE("never written is told apart from wrong, and from NaN that was computed") {
  const auto expected = reference(8, 8);
  auto got = to_float(expected);
  got(4, 4) = unwritten_value<float>();
  const std::string missing = outcome(got, expected).report;
  CHECK(mentions(missing,
                 "C: 1 of 64 elements was never written, "
                 "or computed from what was never written, first at row 4"));
  CHECK(mentions(missing, "got nothing"));
  got(4, 4) = std::numeric_limits<float>::quiet_NaN();
  const std::string computed = outcome(got, expected).report;
  CHECK(mentions(computed, "C: 1 of 64 elements is wrong"));
  CHECK_FALSE(mentions(computed, "never written,"));
}

TEST_CASE("A failure says one element, one class and one time, and 11 elements") {
  const auto text_of = [](const std::string& text) { return failure("values", text).report; };
  CHECK(text_of("1 elements, 1 classes (called 1 times)") ==
        "1 element, 1 class (called 1 time)\nkind: values");
  for (const char* const many : {"11 elements", "0.1 elements", "3,1 bytes", "K1 rows", "1 x rows",
                                 "1 of 5 elements", "-1 times"}) {
    CHECK(text_of(many) == std::string(many) + "\nkind: values");
  }
}

TEST_CASE("A value is said so that it is told from its neighbours, and NaN without a sign") {
  const float third = 1.0f / 3;
  CHECK(value_text(third) != value_text(std::nextafter(third, 1.0f)));
  CHECK(value_text(-0.5) == "-0.5");
  CHECK(value_text(-std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(value_text(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("A value that was never written is told from a NaN that was computed") {
  const std::string unwritten = "NaN (never written, or computed from what was never written)";
  CHECK(value_text(unwritten_value<float>()) == unwritten);
  CHECK(value_text(unwritten_value<double>()) == unwritten);
  CHECK(value_text(padding_value<float>()) == "NaN");
}

}  // namespace
}  // namespace tut
