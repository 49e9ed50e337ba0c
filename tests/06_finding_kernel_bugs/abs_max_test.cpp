#include "06_finding_kernel_bugs/abs_max.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "tut/budget/budget.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

constexpr int block = 256;

Outcome abs_max_outcome(const std::vector<float>& values, std::size_t guard) {
  const auto n = static_cast<int>(values.size());
  const int blocks = (n + block - 1) / block;
  Guarded<float> x = vector_image(values, guard), maxima = empty_image<float>(blocks, guard);
  const Guarded<float> x_before = x, maxima_before = maxima;
  const std::string text = "n = " + std::to_string(n);
  Outcome run = run_on_device(
      kOneLaunch, text,
      [n](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        abs_max(from.data, n, to.data, stream);
      },
      x, maxima);
  if (!run.ok) return run;
  const auto expected = [&](int b) {
    double largest = 0;
    for (int i = b * block; i < std::min(n, (b + 1) * block); ++i) {
      largest =
          std::max(largest, std::abs(static_cast<double>(values[static_cast<std::size_t>(i)])));
    }
    return largest;
  };
  return first_failure({vector_is(maxima_before, maxima, "maxima", text, expected),
                        nothing_changed(x_before, x, "x", text, true)});
}

}  // namespace

TEST_CASE("abs_max finds the largest absolute value of every block") {
  expect(for_each_length(
      [](int n, std::size_t guard) { return abs_max_outcome(random_values(n, 2), guard); }));
}

TEST_CASE("abs_max of a long array") { expect(abs_max_outcome(random_values(kLong, 2), kTight)); }

TEST_CASE("abs_max of values of every size") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float scale : {0.0f, -0.0f, 1e-42f, 1e-30f, 1e30f, 3e38f, infinity}) {
    std::vector<float> values(600, 0.0f);
    for (std::size_t i = 0; i < values.size(); i += 7) values[i] = i % 2 == 0 ? scale : -scale;
    expect(abs_max_outcome(values, kApart));
  }
}

TEST_CASE("abs_max finds it wherever it is") {
  for (const int n : {1, 100, 300, 512}) {
    for (const int place : {0, n / 2, n - 1}) {
      for (const float largest : {-3.0f, 3.0f}) {
        std::vector<float> values = random_values(n, 3);
        values[static_cast<std::size_t>(place)] = largest;
        expect(abs_max_outcome(values, kApart));
      }
    }
  }
}

TEST_CASE("abs_max does nothing for no elements, and refuses a negative number") {
  expect(
      launches_nothing("n = 0", [](cudaStream_t stream) { abs_max(nullptr, 0, nullptr, stream); }));
  CHECK_THROWS_AS(abs_max(nullptr, -1, nullptr), std::invalid_argument);
}

TEST_CASE("abs_max of as many elements as there may be") {
  const LongBuffer<float> some, other;
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) { abs_max(some.data(), n, other.data(), stream); },
      [](int n) { return abs_max_outcome(random_values(n, 2), kTight); }, kLong,
      MarkedParts("maxima", other.data(), (kLongSize + block - 1) / block)));
}

TEST_CASE("budget") {
  constexpr int N = 8192;
  expect_budget("abs_max", 4.0 * N + 32.0 * N / block,
                [] { return abs_max_outcome(random_values(N, 2), kTight); });
  expect_cost(4.0 * (N + 5) + 32.0 * (N / block + 1),
              [] { return abs_max_outcome(random_values(N + 5, 2), kTight); });
}

}  // namespace tut::ch06
