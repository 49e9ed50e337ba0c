#include "01_naive_matmul/summation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <vector>

#include "tut/numeric/random.hpp"

namespace tut::ch01 {
namespace {

// Errors in units of 2^-24 of the sum, for n values in [0, 1).
struct Errors {
  double in_order, pairwise, compensated;
};

Errors errors(int n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  fill_uniform(values, 3, 0, 1);
  double exact = 0;
  for (const float value : values) exact += value;
  const auto error = [&](float got) { return std::abs(got - exact) / exact * 0x1p24; };
  const std::span<const float> all(values);
  return {error(sum_in_order(all)), error(sum_pairwise(all)), error(sum_compensated(all))};
}

}  // namespace

TEST_CASE("all sums are right on small integers, and 0 for none") {
  for (const int n : {0, 1, 2, 7, 8, 9, 17, 1000}) {
    std::vector<float> values(static_cast<std::size_t>(n));
    fill_small_integers(values, 5, 9);
    float exact = 0;
    for (const float value : values) exact += value;
    CHECK(sum_in_order(values) == exact);
    CHECK(sum_pairwise(values) == exact);
    CHECK(sum_compensated(values) == exact);
  }
}

TEST_CASE("the error of each sum is within its bound, and a weaker sum is not") {
  const int n = 1 << 20;
  const Errors e = errors(n);
  CHECK(e.in_order <= n);
  CHECK(e.in_order > 20);  // outside of the pairwise bound
  CHECK(e.pairwise <= 20);
  CHECK(e.compensated <= 1.01);
}

TEST_CASE("the compensated sum survives cancellation") {
  const std::vector<float> values = {1e8f, 1.0f, -1e8f};
  CHECK(sum_in_order(values) == 0.0f);
  CHECK(sum_compensated(values) == 1.0f);
}

TEST_CASE("two_sum loses nothing") {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const float x = random_uniform(1, i, -1e6f, 1e6f), y = random_uniform(2, i);
    const TwoSum sum = two_sum(x, y);
    CHECK(sum.s == x + y);
    CHECK(double{sum.s} + sum.e == double{x} + y);
  }
}

}  // namespace tut::ch01
