#include "06_finding_kernel_bugs/smooth.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "tut/budget/budget.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

Outcome smooth_outcome(const std::vector<float>& values, std::size_t guard) {
  const auto n = static_cast<int>(values.size());
  Guarded<float> x = vector_image(values, guard), out = empty_image<float>(n, guard);
  const Guarded<float> x_before = x, out_before = out;
  const std::string text = "n = " + std::to_string(n);
  Outcome run = run_on_device(
      kOneLaunch, text,
      [n](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        smooth(from.data, n, to.data, stream);
      },
      x, out);
  if (!run.ok) return run;

  const auto value = [&](int i) {
    return static_cast<double>(values[static_cast<std::size_t>(std::clamp(i, 0, n - 1))]);
  };
  const auto expected = [&](int i) { return (value(i - 1) + 2 * value(i) + value(i + 1)) / 4; };
  const auto bound = [&](int i) {
    const double magnitude =
        std::abs(value(i - 1)) + 2 * std::abs(value(i)) + std::abs(value(i + 1));
    return std::max(Precision<float>::rounding * magnitude, 0x1p-148);
  };
  return first_failure({vector_is(out_before, out, "out", text, expected, bound),
                        nothing_changed(x_before, x, "x", text, true)});
}

}  // namespace

TEST_CASE("smooth averages each element with its neighbours") {
  expect(for_each_length(
      [](int n, std::size_t guard) { return smooth_outcome(random_values(n, 1), guard); },
      {kApart, kOdd}));
}

TEST_CASE("smooth in memory of just its size") {
  expect(for_each_length(
      [](int n, std::size_t guard) { return smooth_outcome(random_values(n, 1), guard); },
      {kTight}));
}

TEST_CASE("smooth of a long array") { expect(smooth_outcome(random_values(kLong, 1), kTight)); }

TEST_CASE("smooth of tiny values, most of them subnormal") {
  std::vector<float> values = random_values(300, 12);
  for (float& value : values) value *= 0x1p-130F;
  expect(smooth_outcome(values, kApart));
}

TEST_CASE("smooth of huge values, infinities and NaN reaches their neighbours only") {
  // Also on both sides of where warps and blocks meet.
  for (const int n : {1, 2, 600}) {
    for (const int place : {0, 31, 32, 255, 256, n / 2, n - 1}) {
      if (place >= n) continue;
      for (const float value : {1e37f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
        std::vector<float> values = random_values(n, 11);
        values[static_cast<std::size_t>(place)] = value;
        expect(smooth_outcome(values, kApart));
      }
    }
  }
}

TEST_CASE("smooth does nothing for no elements, and refuses a negative number") {
  expect(
      launches_nothing("n = 0", [](cudaStream_t stream) { smooth(nullptr, 0, nullptr, stream); }));
  CHECK_THROWS_AS(smooth(nullptr, -1, nullptr), std::invalid_argument);
}

TEST_CASE("smooth of as many elements as there may be") {
  const LongBuffer<float> some, other;
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) { smooth(some.data(), n, other.data(), stream); },
      [](int n) { return smooth_outcome(random_values(n, 1), kTight); }, kLong,
      MarkedParts("out", other.data(), kLongSize)));
}

TEST_CASE("budget") {
  constexpr int N = 4096;
  expect_budget("smooth", 8.0 * N + 64.0 * N / 256,
                [] { return smooth_outcome(random_values(N, 1), kTight); });
  expect_cost(8.0 * (N + 5) + 64.0 * (N / 256 + 1),
              [] { return smooth_outcome(random_values(N + 5, 1), kTight); });
}

}  // namespace tut::ch06
