// What a comparison says of the pattern of what is wrong.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "compare_case.hpp"

namespace tut {
namespace {

TEST_CASE("a single wrong element has no pattern that says its place again") {
  const auto expected = reference(5, 7);
  auto got = to_float(expected);
  got(1, 2) = 9;
  CHECK(pattern_of(got, expected).empty());
  got(1, 2) = 0;
  CHECK(pattern_of(got, expected).empty());
  got(1, 2) = std::numeric_limits<float>::quiet_NaN();
  CHECK(pattern_of(got, expected).starts_with("NaN comes from 0 times an infinity"));
}

TEST_CASE("pattern: a sum that goes on from one element to the next") {
  const auto expected = reference(5, 7);
  const auto totals = [&](auto starts_again) {
    auto got = to_float(expected);
    float total = 0;
    for (int r = 0; r < 5; ++r) {
      for (int c = 0; c < 7; ++c) {
        total = (starts_again(r, c) ? 0 : total) + static_cast<float>(expected(r, c));
        got(r, c) = total;
      }
    }
    return got;
  };
  const auto over_all = totals([](int, int) { return false; });
  CHECK(mentions(pattern_of(over_all, expected), "is expected plus the element before it"));
  const auto in_rows = totals([](int, int c) { return c == 0; });
  CHECK(mentions(pattern_of(in_rows, expected), "before it in its row: the sum continues"));
  auto in_columns = to_float(expected);
  for (int r = 1; r < 5; ++r) {
    for (int c = 0; c < 7; ++c) in_columns(r, c) += in_columns(r - 1, c);
  }
  CHECK(mentions(pattern_of(in_columns, expected), "before it in its column: the sum continues"));
  auto one_is_not = over_all;
  one_is_not(3, 3) += 1;
  CHECK_FALSE(mentions(pattern_of(one_is_not, expected), "the element before it"));
}

TEST_CASE("pattern: the same is added to every element, or left out") {
  const auto expected = reference(5, 7);
  auto got = to_float(expected);
  for (int r = 0; r < 5; ++r) {
    for (int c = 0; c < 7; ++c) got(r, c) += 31;
  }
  CHECK(mentions(pattern_of(got, expected), "every wrong element is 31 too large"));
  for (int r = 0; r < 5; ++r) {
    for (int c = 0; c < 7; ++c) got(r, c) -= 31 + static_cast<float>(c);
  }
  CHECK_FALSE(mentions(pattern_of(got, expected), "too small"));
}

TEST_CASE("pattern: every tile is transposed in its place") {
  const auto expected = reference(48, 33);
  auto got = to_float(expected);
  const auto other = [&](int r, int c) {
    const int row = r - r % 16 + c % 16, col = c - c % 16 + r % 16;
    return col < 33 ? static_cast<float>(expected(row, col)) : 0.0f;
  };
  for (int r = 0; r < 48; ++r) {
    for (int c = 0; c < 33; ++c) got(r, c) = other(r, c);
  }
  CHECK(mentions(pattern_of(got, expected), "every tile of 16x16 is transposed in its place"));
  for (int c = 0; c < 16; ++c) got(2, c) = -got(2, c);
  CHECK_FALSE(mentions(pattern_of(got, expected), "every tile"));
}

TEST_CASE("pattern: the largest number of a type where an infinity belongs") {
  constexpr double INF = std::numeric_limits<double>::infinity();
  HostMatrix<double> expected = reference(40, 40);
  auto bounds = make_matrix<double>(40, 40, [](int, int) { return 1e-6; });
  auto got = to_float(expected);
  for (int r = 3; r < 40; r += 5) {
    expected(r, 7) = INF;
    bounds(r, 7) = INF;  // relative to what is expected, as bounds are
    got(r, 7) = 65504;
  }
  const auto report = [&] { return compare(got.cview(), expected, bounds, {}).report; };
  CHECK(mentions(report(), "the largest number of half (65504) stands where an infinity belongs"));
  for (int r = 3; r < 40; r += 5) got(r, 7) = 65503;
  // No arrangement of the values explains it, whatever the bound.
  CHECK_FALSE(mentions(report(), "largest number"));
  CHECK_FALSE(mentions(report(), "transposed"));
  CHECK_FALSE(mentions(report(), "off by one"));
}

TEST_CASE("pattern: an error of one size, up or down") {
  const auto expected = reference(6, 9);
  auto got = to_float(expected);
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 9; ++c) got(r, c) += (r + c) % 2 == 0 ? 0.005f : -0.005f;
  }
  CHECK(mentions(pattern_of(got, expected), "every wrong element is 0.005 too large or too small"));
  // Errors of rounding differ in size, and none is so large.
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 9; ++c) {
      got(r, c) = static_cast<float>(expected(r, c)) * ((r + c) % 2 == 0 ? 1.002f : 0.997f);
    }
  }
  CHECK(mentions(pattern_of(got, expected), "less precise"));
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 9; ++c) {
      got(r, c) = static_cast<float>(expected(r, c)) + ((r + c) % 2 == 0 ? 0.001f : -0.001f);
    }
  }
  CHECK(mentions(pattern_of(got, expected), "less precise"));
}

TEST_CASE("pattern: a formula that gives every wrong element") {
  const auto expected = reference(4, 6);
  auto got = to_float(expected);
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 6; ++c) got(r, c) = -3 * got(r, c);
  }
  const std::vector<Formula> formulas = {
      {"what is doubled", [&](int r, int c) { return 2 * expected(r, c); }},
      {"minus three times what is expected", [&](int r, int c) { return -3 * expected(r, c); }}};
  const auto formula_of = [&] {
    const auto bound = make_matrix<double>(4, 6, [](int, int) { return 1e-9; });
    const auto doubles = make_matrix<double>(4, 6, [&](int r, int c) { return double{got(r, c)}; });
    return formula_pattern(find_mismatch(doubles, std::vector<bool>(24), expected, bound),
                           formulas);
  };
  CHECK(formula_of() == "each wrong element is minus three times what is expected");
  got(2, 3) += 1;
  CHECK(formula_of().empty());
}

TEST_CASE("pattern: only the diagonal is written") {
  const auto expected = reference(6, 9);
  HostMatrix<float> got(6, 9);
  for (int i = 0; i < 6; ++i) got(i, i) = static_cast<float>(expected(i, i));
  CHECK(mentions(pattern_of(got, expected), "row and column have the same number"));
  got(0, 1) = static_cast<float>(expected(0, 1));
  CHECK_FALSE(mentions(pattern_of(got, expected), "have the same number"));
}

TEST_CASE("pattern: whole numbers that a float cannot hold") {
  HostMatrix<double> expected(2, 3);
  for (int r = 0; r < 2; ++r) {
    for (int c = 0; c < 3; ++c) expected(r, c) = 28589453.0 + 1000 * c + r;
  }
  HostMatrix<double> exact(2, 3);
  exact.fill(0);
  auto got = expected;
  got(1, 2) += 2;
  const auto report_of = [&] {
    return compare(MatrixView<const double>(got.cview()), expected, exact, {}).report;
  };
  CHECK(mentions(report_of(), "which a float cannot hold"));
  CHECK(mentions(report_of(), "expected 28591454, got 28591456"));
  got(1, 2) += 1;  // which no float is
  CHECK_FALSE(mentions(report_of(), "which a float cannot hold"));
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

TEST_CASE("pattern: what was never written lies beyond an offset of 32 bits") {
  const auto expected = reference(5, 40);
  auto got = to_float(expected);
  for (int c = 0; c < 40; ++c) got(4, c) = unwritten_value<float>();
  const auto report = [&](std::int64_t stride) {
    return outcome(got, expected, {.stride = stride}).report;
  };
  CHECK(mentions(report(std::int64_t{1} << 30),
                 "every element of the last row was never written: it begins 4294967296 elements "
                 "after the first one: are offsets computed in 64 bits?"));
  CHECK(mentions(report(1 << 20), "was never written: does the grid cover it, with blockIdx"));
  CHECK(mentions(report(0), "was never written: does the grid cover it, with blockIdx"));
  got(0, 3) = unwritten_value<float>();  // this is no matter of offsets
  CHECK_FALSE(mentions(report(std::int64_t{1} << 30), "64 bits"));
}

TEST_CASE("pattern: an infinity where none is expected") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const auto expected = reference(5, 7);
  auto got = to_float(expected);
  got(1, 2) = inf;
  CHECK(
      pattern_of(got, expected).starts_with("no infinity belongs here, so something in between "));
  got(3, 3) = std::numeric_limits<float>::quiet_NaN();
  CHECK(mentions(pattern_of(got, expected), "every wrong element is infinite or NaN: no infinity"));
  got(3, 3) = 9;
  CHECK_FALSE(mentions(pattern_of(got, expected), "overflows"));
  auto special = expected;
  special(0, 0) = static_cast<double>(inf);
  got = to_float(special);
  got(1, 2) = inf;
  CHECK_FALSE(mentions(pattern_of(got, special), "overflows"));
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
  CHECK(mentions(of_case(2.5f, "12 elements, alpha 2.5"), "multiplies once too often"));
  CHECK(mentions(of_case(0.75f, "probability 0.25"), ": 1 - probability (0.75) multiplies"));
  CHECK(mentions(of_case(8, "width 64"), ": the root of width (8) multiplies once too often"));
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
  CHECK(mentions(pattern_of(got, expected), "Either it was subtracted from another one"));
  const std::string product = outcome(got, expected, {.shape = "12x3 * 3x12"}).report;
  CHECK(mentions(product, "left out by a condition"));
  CHECK_FALSE(mentions(product, "subtracted"));
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

TEST_CASE("pattern: zeros where small values belong") {
  auto expected = reference(12, 12);
  for (int c = 0; c < 12; ++c) expected(4, c) *= 1e-4;
  auto got = to_float(expected);
  for (int c = 0; c < 12; ++c) got(4, c) = 0;
  CHECK(mentions(outcome(got, expected, {}).report,
                 "are they lost when they are added to large ones"));
  for (int c = 0; c < 12; ++c) got(5, c) = 0;
  CHECK_FALSE(mentions(outcome(got, expected, {}).report, "are they lost"));
}

TEST_CASE("pattern: whole numbers that are one too small") {
  auto expected = make_matrix<double>(12, 12, [](int r, int c) { return 3.0 * r + 7 * c; });
  auto got = to_float(expected);
  for (const int r : {1, 4, 9}) got(r, 5) -= 1;
  CHECK(mentions(pattern_of(got, expected), "one too small"));
  got(2, 2) += 1;
  CHECK_FALSE(mentions(pattern_of(got, expected), "one too"));
}

TEST_CASE("pattern: a count that is off by one is no matter of rounding") {
  const auto expected = reference(12, 12);
  const auto of_case = [&](double factor, const char* text, int rows = 12) {
    const auto got = make_matrix<float>(
        12, 12, [&](int r, int c) { return r < rows ? factor * expected(r, c) : expected(r, c); });
    return outcome(got, expected, {.shape = text}).report;
  };
  CHECK(
      mentions(of_case(1000.0 / 999, "n = 1000"),
               "1.001 times what is expected: is something divided by 999 in place of n (1000)?"));
  CHECK(mentions(of_case(999.0 / 1000, "n = 1000"), "divided by n (1000) in place of 999?"));
  CHECK(mentions(of_case(5.0 / 4, "12 elements, n = 5"), "divided by 4 in place of n (5)?"));
  // No number explains it; there are enough of them.
  const std::string unknown = of_case(1.004, "n = 1000");
  CHECK(mentions(unknown, "1.004 times what is expected\n"));
}

TEST_CASE("what may lose a NaN is said where one is lost") {
  CHECK(mentions(reason_of_lost_nan(0, NAN), "\n  pattern: a NaN is lost"));
  CHECK(reason_of_lost_nan(NAN, NAN) == "");
  CHECK(reason_of_lost_nan(NAN, 0) == "");
  CHECK(reason_of_lost_nan(1, 0) == "");
}

TEST_CASE("pattern: a bias is missing, or something is below 0") {
  const auto expected = make_matrix<double>(
      6, 5, [](int r, int c) { return random_unit(4, static_cast<std::uint64_t>(7 * r + c)) + 2; });
  const auto off_by = [&](const auto& error) {
    return make_matrix<float>(
        6, 5, [&](int r, int c) { return static_cast<float>(expected(r, c) - error(r, c)); });
  };
  CHECK(mentions(pattern_of(off_by([](int, int c) { return 0.1 * c * c + 0.3; }), expected),
                 "each column is off by a constant of its own"));
  CHECK(mentions(pattern_of(off_by([](int r, int) { return r == 2 ? 0.0 : 0.1 * r; }), expected),
                 "each row is off by a constant of its own"));
  CHECK_FALSE(mentions(pattern_of(off_by([](int r, int c) { return 0.1 * r * c; }), expected),
                       "of its own"));
  const auto negative = off_by([](int r, int c) { return 3.0 + r * c; });
  CHECK(mentions(pattern_of(negative, expected), "some are below 0, which none may be"));
  // None of these is made by a maximum with 0, which would leave zeros.
  CHECK_FALSE(mentions(pattern_of(negative, expected), "maximum"));
  auto shifted = expected;
  shifted(5, 4) = -10;
  CHECK_FALSE(mentions(pattern_of(negative, shifted), "below 0"));
}

TEST_CASE("pattern: below 0 by doubling is not told as a maximum that is missing") {
  const auto input = make_matrix<double>(
      1, 200, [](int, int c) { return 2 * random_unit(6, static_cast<std::uint64_t>(c)) - 1; });
  const auto made = [&](const auto& f) {
    return make_matrix<double>(1, 200, [&](int, int c) { return f(input(0, c)); });
  };
  const auto doubled = to_float(made([](double x) { return 2 * x; }));
  const auto squares = made([](double x) { return x * x; });
  CHECK(pattern_of(doubled, squares, true) == "some are below 0, which none may be");
  const auto positive = made([](double x) { return 1.5 * std::max(0.0, x); });
  CHECK(mentions(pattern_of(doubled, positive, true), "a maximum with 0, done last"));
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

TEST_CASE("pattern: close is only what is close to itself, nearly everywhere") {
  const auto expected = reference(1, 1000);
  // What is left of negative values is small beside the others, and another number altogether.
  auto bent = make_matrix<double>(1, 1000, [&](int, int c) {
    return expected(0, c) > 0 ? expected(0, c) : 0.005 * expected(0, c);
  });
  auto got = to_float(bent);
  for (int c = 0; c < 1000; ++c) {
    if (bent(0, c) < 0) got(0, c) = 0.005f * static_cast<float>(expected(0, (c + 1) % 1000));
  }
  CHECK_FALSE(mentions(pattern_of(got, bent, true), "close"));
  CHECK(pattern_of(got, bent, true) ==
        "only elements that should be below 0 are wrong: are negative values treated as the "
        "contract says?");
  const auto cut =
      make_matrix<float>(1, 1000, [&](int, int c) { return std::max(0.0, bent(0, c)); });
  CHECK(mentions(pattern_of(cut, bent, true), "is 0, where values below 0 belong"));
  got(0, 3) = 5;
  got(0, 4) = 5;
  CHECK_FALSE(mentions(pattern_of(got, bent, true), "below 0"));
}

TEST_CASE("pattern: what should be 0 is not, and nothing else") {
  auto expected = reference(1, 200);
  for (int c = 20; c < 60; ++c) expected(0, c) = 0;
  auto got = to_float(expected);
  for (int c = 20; c < 50; c += 3) got(0, c) = 0.5f;
  CHECK(mentions(pattern_of(got, expected, true), "among those that should be 0"));
  CHECK_FALSE(mentions(pattern_of(got, expected, true), "below 0"));
  got(0, 5) += 1;
  CHECK_FALSE(mentions(pattern_of(got, expected, true), "should be 0"));
}

TEST_CASE("pattern: an infinity has no last digits") {
  auto expected = make_matrix<double>(1, 8, [](int, int c) { return 1.0 + c; });
  expected(0, 3) = std::numeric_limits<double>::infinity();
  auto got = to_float(expected);
  got(0, 3) = 65504;
  CHECK_FALSE(mentions(pattern_of(got, expected, true), "2^24"));
}

TEST_CASE("pattern: values that should only move have gone through a sum and a difference") {
  constexpr float inf = std::numeric_limits<float>::infinity(),
                  tiny = std::numeric_limits<float>::denorm_min();
  const auto numbers = reference(1, 64);
  auto expected = to_float(numbers);
  expected(0, 5) = inf;
  expected(0, 9) = tiny;
  auto got = make_matrix<float>(1, 64, [&](int, int c) {
    const float partner = expected(0, 63 - c);
    return (expected(0, c) + partner) - partner;
  });
  const auto exact = make_matrix<double>(1, 64, [](int, int) { return 0.0; });
  const auto report = [&] {
    return compare(got.cview(), to_double_matrix(expected.cview()), exact, {.is_vector = true})
        .report;
  };
  CHECK(mentions(report(),
                 "pattern: values that should only be moved become NaN or less exact: do they "
                 "go through a sum and a difference? With infinities that gives NaN, and small "
                 "numbers lose digits beside large ones; an assignment keeps every value"));
  got(0, 20) = 7;
  CHECK_FALSE(mentions(report(), "only be moved"));
}

TEST_CASE("pattern: -infinity may be the logarithm of 0") {
  const auto expected = reference(5, 7);
  auto got = to_float(expected);
  got(1, 2) = got(1, 3) = -std::numeric_limits<float>::infinity();
  CHECK(mentions(pattern_of(got, expected), "or it is the logarithm of 0, as of a sum whose "));
  got(1, 3) = -got(1, 3);
  CHECK_FALSE(mentions(pattern_of(got, expected), "logarithm"));
}

TEST_CASE("pattern: a part of every tile is no last tile") {
  const auto expected = reference(32, 40);
  const auto unwritten_rows = [&](int rows, const auto& is_missing) {
    const auto all = reference(rows, 40);
    auto got = to_float(all);
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < 40; ++c) {
        if (is_missing(r)) got(r, c) = unwritten_value<float>();
      }
    }
    return pattern_of(got, all);
  };
  CHECK(unwritten_rows(32, [](int r) { return r >= 8; }) ==
        "every element of the rows from 8 on was never written: does the grid cover it, with "
        "blockIdx times the block's side in each index, and does each "
        "loop of the kernel reach it?");
  CHECK(mentions(unwritten_rows(32, [](int r) { return r >= 24; }), "the last tile of rows"));
  CHECK(unwritten_rows(70, [](int r) { return r % 32 >= 8; }) ==
        "every element of the rows 8 to 31 of every 32 was never written: does each thread, and "
        "each loop over a tile, reach it?");
  CHECK(unwritten_rows(70, [](int r) { return r % 4 == 3; }) ==
        "every element of row 3 of every 4 was never written: does each thread, and each loop "
        "over a tile, reach it?");
  CHECK_FALSE(
      mentions(unwritten_rows(70, [](int r) { return r % 32 >= 8 && r != 50; }), "of every"));
}

TEST_CASE("a vector's patterns speak of elements") {
  const auto expected = reference(1, 1000);
  CHECK(mentions(pattern_of(spoil(expected, [](int, int c) { return c >= 768; }), expected, true),
                 "the last partial tile of elements (from element 768 on)"));
  CHECK(pattern_of(spoil(expected, [](int, int c) { return c >= 7; }), expected, true) ==
        "the elements from 7 on are wrong");
  const auto shifted =
      make_matrix<float>(1, 1000, [&](int, int c) { return expected(0, (c + 1) % 1000); });
  CHECK(mentions(pattern_of(shifted, expected, true), "off by one element"));
}

}  // namespace
}  // namespace tut
