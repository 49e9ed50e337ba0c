#include "06_finding_kernel_bugs/suffix_sums.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "tut/budget/budget.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

constexpr int block = 256;

/// Integers from -limit to limit.
std::vector<int> random_integers(int n, int limit) {
  std::vector<int> values(static_cast<std::size_t>(n));
  const auto count = 2 * static_cast<std::uint64_t>(limit) + 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>((drawn_bits(5, i) >> 32) % count) - limit;
  }
  return values;
}

Outcome suffix_outcome(const std::vector<int>& values, std::size_t guard) {
  const auto n = static_cast<int>(values.size());
  Guarded<int> x = vector_image(values, guard), out = empty_image<int>(n, guard);
  const Guarded<int> x_before = x, out_before = out;
  const std::string text = "n = " + std::to_string(n);
  Outcome run = run_on_device(
      kOneLaunch, text,
      [n](cudaStream_t stream, MatrixView<const int> from, MatrixView<int> to) {
        suffix_sums(from.data, n, to.data, stream);
      },
      x, out);
  if (!run.ok) return run;
  const auto expected = [&](int i) {
    double sum = 0;
    for (int j = i; j < std::min(n, (i / block + 1) * block); ++j) {
      sum += values[static_cast<std::size_t>(j)];
    }
    return sum;
  };
  return first_failure({vector_is(out_before, out, "out", text, expected),
                        nothing_changed(x_before, x, "x", text, true)});
}

}  // namespace

TEST_CASE("suffix_sums adds from each element to the end of its block") {
  expect(for_each_length(
      [](int n, std::size_t guard) { return suffix_outcome(random_integers(n, 1000), guard); }));
}

TEST_CASE("suffix_sums of a long array") {
  expect(suffix_outcome(random_integers(kLong, 1000), kTight));
}

TEST_CASE("suffix_sums of large integers, whose sums no float holds") {
  constexpr int largest = std::numeric_limits<int>::max();
  expect(suffix_outcome(random_integers(513, largest / block), kApart));
  std::vector<int> values(300, 0);
  values[0] = largest - 1, values[1] = 1, values[298] = -largest, values[299] = 2;
  expect(suffix_outcome(values, kApart));
}

TEST_CASE("suffix_sums does nothing for no elements, and refuses a negative number") {
  expect(launches_nothing("n = 0",
                          [](cudaStream_t stream) { suffix_sums(nullptr, 0, nullptr, stream); }));
  CHECK_THROWS_AS(suffix_sums(nullptr, -1, nullptr), std::invalid_argument);
}

TEST_CASE("suffix_sums of as many elements as there may be") {
  const LongBuffer<int> some, other;
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) { suffix_sums(some.data(), n, other.data(), stream); },
      [](int n) { return suffix_outcome(random_integers(n, 1000), kTight); }, kLong,
      MarkedParts("out", other.data(), kLongSize)));
}

TEST_CASE("budget") {
  constexpr int N = 4096;
  expect_budget("suffix_sums", 8.0 * N,
                [] { return suffix_outcome(random_integers(N, 1000), kTight); });
  expect_cost(8.0 * (N + 5), [] { return suffix_outcome(random_integers(N + 5, 1000), kTight); });
}

}  // namespace tut::ch06
