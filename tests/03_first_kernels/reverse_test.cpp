#include "03_first_kernels/reverse.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tut/budget/budget.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_case.hpp"

namespace tut::ch03 {
namespace {

Outcome reverse_outcome(int n, std::size_t guard = kGuard) {
  const std::vector<float> values = mixed_values(n, 8);
  const std::vector<float> expected(values.rbegin(), values.rend());
  Guarded<float> x = make_vector(values, guard);
  const Guarded<float> before = x;
  const std::string text =
      "n = " + std::to_string(n) + (guard == kGuard ? "" : ", x begins at no multiple of 16 bytes");

  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [n](cudaStream_t stream, MatrixView<float> xv) { reverse(xv.data, n, stream); }, x);
  return run.ok ? exactly_moved(before, x, expected, "x", text) : run;
}

}  // namespace

TEST_CASE("reverse turns arrays of any length round") {
  for (const int n : {1, 2, 3, 511, 512, 513, 514, 1025, 1028, 4100, 1000003})
    expect(reverse_outcome(n));
}

TEST_CASE("reverse takes an array that begins anywhere") {
  expect(reverse_outcome(4096, kOddGuard));
}

TEST_CASE("reverse launches nothing for less than two elements, and refuses a negative number") {
  const LongBuffer<float> x(1);
  expect(launches_nothing("n = 0", [](cudaStream_t stream) { reverse(nullptr, 0, stream); }));
  expect(launches_nothing("n = 1", [&](cudaStream_t stream) { reverse(x.data(), 1, stream); }));
  CHECK_THROWS_AS(reverse(nullptr, -1), std::invalid_argument);
}

TEST_CASE("reverse of as many elements as there may be") {
  const LongBuffer<float> some;
  MarkedParts last;
  last.add("the last element", some.data() + kLongSize - 1, 1);
  expect(grid_reach_outcome([&](cudaStream_t stream, int n) { reverse(some.data(), n, stream); },
                            [](int n) { return reverse_outcome(n); }, 1000003, last));
}

TEST_CASE("budget") {
  constexpr int N = 4096;
  expect_budget("reverse", 8.0 * N, [] { return reverse_outcome(N); });
  for (const int n : {2, 3, 258, 513, 1025}) {
    expect_single_stores([n] { return reverse_outcome(n); });
  }
}

}  // namespace tut::ch03
