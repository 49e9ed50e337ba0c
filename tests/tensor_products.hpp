/// \file
/// Whether sizes that no tile divides are multiplied on tensor cores, too.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tut/bench/counting.hpp"
#include "tut/errors/source_location.hpp"
#include "tut/testing/matmul_battery.hpp"
#include "tut/testing/outcome.hpp"

namespace tut {

/// Products of fragments that m * n * k multiplications take at least: each has 16 * 16 * 16.
constexpr double fragment_products(int m, int n, int k) {
  return std::max(1.0, double{1} * m * n * k / 4096);
}

/// Sizes that no tile divides, all of them, or one that is small; and the smallest product.
inline const std::vector<MatmulShape>& ragged_shapes() {
  static const std::vector<MatmulShape> shapes = {
      {63, 63, 63}, {3, 63, 63}, {63, 3, 63}, {63, 63, 3}, {1, 1, 1}};
  return shapes;
}

/// Makes a trial as expect_budget does, of a shape that no tile divides, and expects that it forms
/// `least` products of fragments. Nothing is done where the program does not count.
inline void expect_tensor_products(double least, const std::function<Outcome()>& trial,
                                   const SourceLocation& where = SourceLocation::current()) {
  if (!can_count()) return;
  const CountingTrial counting;
  Outcome outcome = trial();
  if (outcome.ok) {
    const std::uint64_t formed = counting.counters().work.tensor_products;
    if (static_cast<double>(formed) < least) {
      outcome = failure("budget", std::to_string(formed) +
                                      " products of fragments where no tile divides the sizes, "
                                      "which take " +
                                      std::to_string(static_cast<std::int64_t>(std::ceil(least))) +
                                      " at least: multiply on tensor cores at the edges, too");
    }
  }
  expect(outcome, where);
}

}  // namespace tut
