#include "tut/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tut/random.hpp"

namespace tut {
namespace {

constexpr double bound = 1e-6;

HostMatrix<double> reference(int rows, int cols, std::uint64_t seed = 7) {
  HostMatrix<float> values(rows, cols);
  fill_uniform(values, seed);
  return to_double_matrix(values.cview());
}

HostMatrix<float> to_float(const HostMatrix<double>& values) {
  return make_matrix<float>(values.rows(), values.cols(),
                            [&](int r, int c) { return values(r, c); });
}

Outcome outcome(const HostMatrix<float>& got, const HostMatrix<double>& expected,
                const CompareOptions& options = {}) {
  const auto bounds =
      make_matrix<double>(expected.rows(), expected.cols(), [](int, int) { return bound; });
  return compare(got.cview(), expected, bounds, options);
}

// The pattern's line of a report, "" where there is none.
std::string pattern_of(const HostMatrix<float>& got, const HostMatrix<double>& expected,
                       bool is_vector = false) {
  const std::string report = outcome(got, expected, {.is_vector = is_vector}).report;
  const std::string key = "  pattern: ";
  const auto start = report.find(key);
  if (start == std::string::npos) return "";
  return report.substr(start + key.size(), report.find('\n', start) - start - key.size());
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// `good` with other values where `place` says so.
template <class Place>
HostMatrix<float> spoil(const HostMatrix<double>& good, Place place) {
  return make_matrix<float>(good.rows(), good.cols(), [&](int r, int c) {
    const auto index = static_cast<std::uint64_t>(r) * 1000 + static_cast<std::uint64_t>(c);
    return place(r, c) ? 2 + random_unit(99, index) : static_cast<float>(good(r, c));
  });
}

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
  CHECK(mentions(compare(missing.cview(), one(nan), one(1)).report, "is incomplete"));
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
  CHECK(mentions(result.report,
                 "C is wrong: 2 of 4096 elements, first at row 3, column 17: expected 1.459, got 0 "
                 "(shape 64x48 * 48x64)\n"));
  CHECK(mentions(result.report, "\nkind: values"));
  CHECK(result.report.ends_with("kind: values"));
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

TEST_CASE("where every element is wrong there is no picture") {
  const auto expected = reference(3, 4);
  auto got = make_matrix<float>(3, 4, [](int, int) { return 9.0f; });
  CHECK_FALSE(mentions(outcome(got, expected).report, "xxxx"));
  got(0, 0) = static_cast<float>(expected(0, 0));
  CHECK(mentions(outcome(got, expected).report, "    .xxx\n    xxxx\n    xxxx\n"));
}

TEST_CASE("a vector is drawn in reading order, 512 cells at most") {
  const auto expected = reference(1, 1025);
  auto got = to_float(expected);
  got(0, 1024) = 9;
  const std::string report = outcome(got, expected, {.name = "y", .is_vector = true}).report;
  CHECK(mentions(report, "y is wrong: 1 of 1025 elements, first at element 1024: expected"));
  CHECK(mentions(report, "1025 elements, 3 to a cell:\n"));
  CHECK(mentions(report, std::string(21, '.') + "x\n"));
}

TEST_CASE("never written is told apart from wrong, and from NaN that was computed") {
  const auto expected = reference(8, 8);
  auto got = to_float(expected);
  got(4, 4) = unwritten_value<float>();
  const std::string missing = outcome(got, expected).report;
  CHECK(mentions(missing,
                 "C is incomplete: 1 of 64 elements was never written, "
                 "or made from what was never written, first at row 4"));
  CHECK(mentions(missing, "got nothing"));
  got(4, 4) = std::numeric_limits<float>::quiet_NaN();
  const std::string computed = outcome(got, expected).report;
  CHECK(mentions(computed, "C is wrong: 1 of 64 elements"));
  CHECK_FALSE(mentions(computed, "never written,"));
}

TEST_CASE("pattern: nothing was written") {
  const auto expected = reference(9, 9);
  HostMatrix<float> got(9, 9);
  CHECK(mentions(pattern_of(got, expected), "nothing was written at all"));
  got(0, 0) = static_cast<float>(expected(0, 0));
  CHECK_FALSE(mentions(pattern_of(got, expected), "nothing was written at all"));
}

TEST_CASE("pattern: a region that was never written") {
  const auto expected = reference(40, 40);
  auto got = to_float(expected);
  for (int r = 32; r < 40; ++r) {
    for (int c = 0; c < 40; ++c) got(r, c) = unwritten_value<float>();
  }
  CHECK(mentions(pattern_of(got, expected),
                 "the last partial tile of rows (from row 32 on) was never written"));
  got(3, 3) = 9;
  CHECK_FALSE(mentions(pattern_of(got, expected), "never written"));
}

TEST_CASE("pattern: transposed") {
  const auto expected = reference(20, 20);
  const auto got = make_matrix<float>(20, 20, [&](int r, int c) { return expected(c, r); });
  CHECK(mentions(pattern_of(got, expected), "transposed"));
  auto twin = got;
  twin(3, 5) += 0.5f;
  CHECK_FALSE(mentions(pattern_of(twin, expected), "transposed"));
}

TEST_CASE("pattern: off by one row or column, in either direction") {
  const auto expected = reference(20, 24);
  for (const int step : {1, -1}) {
    const auto by_row =
        make_matrix<float>(20, 24, [&](int r, int c) { return expected((r + step + 20) % 20, c); });
    const std::string neighbour = step == 1 ? "next row" : "row before";
    CHECK(mentions(pattern_of(by_row, expected), "off by one row"));
    CHECK(mentions(pattern_of(by_row, expected), neighbour));
    const auto by_column =
        make_matrix<float>(20, 24, [&](int r, int c) { return expected(r, (c + step + 24) % 24); });
    CHECK(mentions(pattern_of(by_column, expected), "off by one column"));
    CHECK(mentions(pattern_of(by_column, expected), step == 1 ? "next column" : "column before"));
  }
  const auto by_two =
      make_matrix<float>(20, 24, [&](int r, int c) { return expected((r + 2) % 20, c); });
  CHECK_FALSE(mentions(pattern_of(by_two, expected), "off by one"));
}

TEST_CASE("pattern: the right values in wrong places") {
  const auto expected = reference(20, 24);
  const auto turned = make_matrix<float>(
      20, 24, [&](int r, int c) { return expected((r + 7) % 20, (c + 5) % 24); });
  CHECK(mentions(pattern_of(turned, expected), "the right values in wrong places"));
  auto twin = turned;
  twin(3, 5) = twin(3, 6);
  CHECK_FALSE(mentions(pattern_of(twin, expected), "wrong places"));
  // Two elements that hold each other's value may be chance.
  auto swapped = to_float(expected);
  std::swap(swapped(1, 2), swapped(5, 7));
  CHECK_FALSE(mentions(pattern_of(swapped, expected), "wrong places"));
}

TEST_CASE("pattern: the last partial tile, of rows, of columns, of both") {
  const auto expected = reference(50, 70);
  CHECK(pattern_of(spoil(expected, [](int, int c) { return c >= 64; }), expected) ==
        "every element of the last partial tile of columns (from column 64 on) is wrong");
  CHECK(pattern_of(spoil(expected, [](int r, int) { return r >= 48; }), expected) ==
        "every element of the last partial tile of rows (from row 48 on) is wrong");
  CHECK(mentions(
      pattern_of(spoil(expected, [](int r, int c) { return r >= 48 || c >= 64; }), expected),
      "the last partial tiles (from row 48 on, and from column 64 on)"));
  CHECK(mentions(
      pattern_of(spoil(expected, [](int r, int c) { return r >= 48 && c >= 64; }), expected),
      "in the last partial tile of rows (from row 48 on) and in the last partial tile of columns "
      "(from column 64 on)"));
  const auto twin = pattern_of(spoil(expected, [](int, int c) { return c >= 63; }), expected);
  CHECK_FALSE(mentions(twin, "tile"));
  CHECK(mentions(twin, "the columns from 63 on"));
  const auto whole = reference(48, 64);
  CHECK_FALSE(
      mentions(pattern_of(spoil(whole, [](int, int c) { return c >= 48; }), whole), "partial"));
}

TEST_CASE("pattern: a region with one right element by chance still is a region; a stray is not") {
  const auto expected = reference(50, 70);
  auto got = spoil(expected, [](int, int c) { return c >= 64; });
  got(10, 66) = static_cast<float>(expected(10, 66));
  CHECK(
      mentions(pattern_of(got, expected), "nearly every element of the last partial tile of col"));
  got(10, 1) = 9;
  CHECK_FALSE(mentions(pattern_of(got, expected), "last partial tile of columns"));
}

TEST_CASE("pattern: every odd or even row") {
  const auto expected = reference(9, 30);
  CHECK(pattern_of(spoil(expected, [](int r, int) { return r % 2 == 1; }), expected) ==
        "every element of every odd row is wrong");
  CHECK(pattern_of(spoil(expected, [](int r, int) { return r % 2 == 0; }), expected) ==
        "every element of every even row is wrong");
  CHECK(pattern_of(spoil(expected, [](int, int c) { return c % 2 == 1; }), expected) ==
        "every element of every odd column is wrong");
  const auto twin = spoil(expected, [](int r, int) { return r % 2 == 1 && r != 5; });
  CHECK_FALSE(mentions(pattern_of(twin, expected), "every odd row"));
}

TEST_CASE("pattern: all but the first tile, and the two sides of the diagonal") {
  const auto expected = reference(64, 64);
  CHECK(mentions(
      pattern_of(spoil(expected, [](int r, int c) { return r >= 16 || c >= 32; }), expected),
      "all but the first 16 rows and 32 columns"));
  CHECK(mentions(pattern_of(spoil(expected, [](int r, int c) { return c > r; }), expected),
                 "every element above the diagonal"));
  CHECK(mentions(pattern_of(spoil(expected, [](int r, int c) { return c < r; }), expected),
                 "every element below the diagonal"));
}

TEST_CASE("pattern: scaled by a constant") {
  const auto expected = reference(12, 12);
  const auto scaled = [&](float factor) {
    return make_matrix<float>(12, 12, [&](int r, int c) { return factor * expected(r, c); });
  };
  CHECK(
      mentions(pattern_of(scaled(2), expected), "every wrong element is 2 times what is expected"));
  CHECK(mentions(pattern_of(scaled(-1), expected), "is -1 times"));
  const auto of_case = [&](float factor, const char* text) {
    return outcome(scaled(factor), expected, {.shape = text}).report;
  };
  CHECK(mentions(of_case(0.4f, "12 elements, alpha 2.5"),
                 "0.4 times what is expected: alpha (2.5) is missing as a factor"));
  CHECK(mentions(of_case(2.5f, "12 elements, alpha 2.5"), "is there as a factor too many"));
  CHECK(mentions(of_case(0.75f, "probability 0.25"), ": 1 - probability (0.75) is there as"));
  CHECK(mentions(of_case(8, "width 64"), ": the root of width (8) is there as a factor too many"));
  CHECK(mentions(of_case(-1, "width 64"), "a sign is wrong"));
  CHECK(of_case(3, "width 64").find("expected\n") != std::string::npos);  // no number explains it
  auto twin = scaled(2);
  twin(4, 4) += 0.01f;
  CHECK_FALSE(mentions(pattern_of(twin, expected), "times"));
}

TEST_CASE("pattern: infinities and NaN out of their places") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  auto expected = reference(12, 12);
  expected(3, 3) = inf;
  expected(5, 5) = nan;
  auto got = to_float(expected);
  got(3, 3) = static_cast<float>(nan);
  CHECK(mentions(pattern_of(got, expected), "left out by a condition"));
  got(3, 3) = static_cast<float>(inf);
  got(5, 5) = 2;
  CHECK(mentions(pattern_of(got, expected), "a NaN is lost"));
  got(5, 5) = static_cast<float>(nan);
  got(7, 7) += 1;
  CHECK_FALSE(mentions(pattern_of(got, expected), "NaN"));
  CHECK_FALSE(mentions(pattern_of(got, expected), "close"));
}

TEST_CASE("pattern: NaN, and zero") {
  const auto expected = reference(12, 12);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto got = make_matrix<float>(12, 12, [&](int, int) { return nan; });
  CHECK(mentions(pattern_of(got, expected), "every element is NaN"));
  got(0, 0) = 5;
  CHECK_FALSE(mentions(pattern_of(got, expected), "is NaN"));
  auto zero = make_matrix<float>(12, 12, [](int, int) { return 0.0f; });
  CHECK(mentions(pattern_of(zero, expected), "every element is 0"));
  zero(0, 0) = 5;
  CHECK_FALSE(mentions(pattern_of(zero, expected), "is 0"));
}

TEST_CASE("pattern: close, but not precise enough") {
  const auto expected = reference(12, 12);
  auto got = make_matrix<float>(12, 12, [&](int r, int c) {
    return expected(r, c) * (1 + 0.001 * random_unit(3, static_cast<std::uint64_t>(r) * 12 +
                                                            static_cast<std::uint64_t>(c)));
  });
  CHECK(mentions(pattern_of(got, expected), "less precise"));
  got(1, 1) += 0.5f;
  CHECK_FALSE(mentions(pattern_of(got, expected), "less precise"));
}

TEST_CASE("a vector's patterns speak of elements") {
  const auto expected = reference(1, 1000);
  CHECK(mentions(pattern_of(spoil(expected, [](int, int c) { return c >= 768; }), expected, true),
                 "the last partial tile of elements (from element 768 on)"));
  const auto shifted =
      make_matrix<float>(1, 1000, [&](int, int c) { return expected(0, (c + 1) % 1000); });
  CHECK(mentions(pattern_of(shifted, expected, true), "off by one element"));
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

}  // namespace
}  // namespace tut
