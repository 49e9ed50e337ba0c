#include "03_first_kernels/add_ten.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tut/budget/budget.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_case.hpp"

namespace tut::ch03 {
namespace {

Outcome add_ten_outcome(int n, std::size_t guard = kGuard) {
  const std::vector<float> values = mixed_values(n, 10, {-10.0f, 1e8f});
  std::vector<float> expected = values;
  for (float& value : expected) value += 10.0f;
  Guarded<float> x = make_vector(values, guard);
  x.surround(2.0f);  // NaN would still be NaN with 10 added to it
  const Guarded<float> before = x;
  const std::string text =
      "n = " + std::to_string(n) + (guard == kGuard ? "" : ", x begins at no multiple of 16 bytes");

  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [n](cudaStream_t stream, MatrixView<float> xv) { add_ten(xv.data, n, stream); }, x);
  return run.ok ? exactly(before, x, expected, "x", text) : run;
}

}  // namespace

TEST_CASE("add_ten adds to vectors of any length") {
  for (const int n : {1000, 1, 2, 31, 255, 256, 257, 4100, 65537}) expect(add_ten_outcome(n));
}

TEST_CASE("add_ten takes a vector that begins anywhere") {
  expect(add_ten_outcome(4096, kOddGuard));
}

TEST_CASE("add_ten launches nothing for no elements, and refuses a negative number") {
  expect(launches_nothing("n = 0", [](cudaStream_t stream) { add_ten(nullptr, 0, stream); }));
  CHECK_THROWS_AS(add_ten(nullptr, -1), std::invalid_argument);
}

TEST_CASE("add_ten of as many elements as there may be") {
  const LongBuffer<float> some;
  MarkedParts last;
  last.add("the last element", some.data() + kLongSize - 1, 1);
  expect(grid_reach_outcome([&](cudaStream_t stream, int n) { add_ten(some.data(), n, stream); },
                            [](int n) { return add_ten_outcome(n); }, 1000003, last));
}

TEST_CASE("budget") {
  constexpr int N = 4096;
  expect_budget("add_ten", 8.0 * N, [] { return add_ten_outcome(N); });
  for (const int n : {1, 3, 258, 1025}) {
    expect_single_stores([n] { return add_ten_outcome(n); });
  }
}

}  // namespace tut::ch03
