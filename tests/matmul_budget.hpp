/// \file
/// Budgets of products.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tut/budget/budget.hpp"
#include "tut/testing/matmul_battery.hpp"

namespace tut {

/// Elements more from row to row: rows of whole tiles then begin at multiples of 128 bytes, as they
/// do in dense matrices.
inline constexpr int kLongerRows = 32;

/// How many elements the rows of each matrix are longer than they need to be.
struct LongerRows {
  int a, b, c;
};

/// One product of random matrices with longer rows.
inline Outcome longer_rows_outcome(const MatmulRun<float, float>& run, const MatmulShape& shape,
                                   const LongerRows& longer) {
  const auto [m, n, k] = shape;
  detail::MatmulImages<float, float> images{Guarded<float>(m, k, k + longer.a, 0),
                                            Guarded<float>(k, n, n + longer.b, 0),
                                            Guarded<float>(m, n, n + longer.c, 0)};
  images.a.set(detail::matmul_input(m, k, MatmulInputs::random, 0, 0, 1));
  images.b.set(detail::matmul_input(k, n, MatmulInputs::random, 1, 0, 1));
  const std::string text =
      detail::case_text(shape, MatmulInputs::random, k + longer.a, n + longer.b, n + longer.c);
  return detail::run_and_judge(run, std::move(images), {}, text);
}

/// Fails if a product with a long K, counted, adds to memory: each element is summed by a thread of
/// its own, and not by several that have a slice of K.
inline void expect_whole_elements(const MatmulRun<float, float>& run,
                                  const SourceLocation& where = SourceLocation::current()) {
  if (!can_count() || has_failed()) return;
  const CountingTrial counting;
  if (const Outcome outcome = longer_rows_outcome(run, {32, 32, 1040}, {}); !outcome.ok) {
    return expect(outcome, where);
  }
  const TrafficCounts total = counting.counters().total();
  const std::uint64_t atomics = of(total, Traffic::global_atomic).requests;
  if (atomics == 0) return;
  expect(failure("budget", "warps make " + std::to_string(atomics) +
                               " atomic requests in 32x1040 * 1040x32; expected none: a thread "
                               "computes whole elements of C"),
         where);
}

/// What a product may move, in bytes, by the contract.
using ProductCost = std::function<double(const MatmulShape&)>;

/// Shapes of one tile of the rows, of the columns, or of the terms of a sum.
inline std::vector<MatmulShape> shapes_of_one_tile(const MatmulShape& shape, int tile) {
  return {{tile, shape.n, shape.k}, {shape.m, tile, shape.k}, {shape.m, shape.n, tile}};
}

/// Fails if one product, counted, costs more than the exercise may, or is wrong: of dense matrices,
/// of such as have longer rows, and of shapes of one tile.
inline void expect_product_budget(const std::string& exercise, const MatmulShape& shape,
                                  const ProductCost& cost, int tile,
                                  const MatmulRun<float, float>& run,
                                  const SourceLocation& where = SourceLocation::current()) {
  for (const int longer : {0, kLongerRows}) {
    expect_budget(
        exercise, cost(shape),
        [&] {
          return longer_rows_outcome(run, shape, {longer, longer, longer});
        },
        where);
  }
  for (const MatmulShape& flat : shapes_of_one_tile(shape, tile)) {
    expect_cost(
        cost(flat), [&] { return longer_rows_outcome(run, flat, {}); }, where);
  }
  expect_whole_elements(run, where);
}

/// Fails if a product uses fewer than 16 bytes an access of the matrices whose rows begin at
/// multiples of 16 bytes, where those of another one do not.
inline void expect_wide_accesses_of_others(
    const MatmulShape& shape, const MatmulRun<float, float>& run,
    const SourceLocation& where = SourceLocation::current()) {
  const auto expect_wide = [&](const LongerRows& longer, double load_bytes, double store_bytes) {
    expect_wide_accesses(
        load_bytes, store_bytes, [&] { return longer_rows_outcome(run, shape, longer); }, where);
  };
  constexpr double kInPartByFours = 5;  // also where a tile of the other factor is twice as large
  expect_wide({1, 0, 0}, kInPartByFours, 15);
  expect_wide({0, 1, 0}, kInPartByFours, 15);
  expect_wide({0, 0, 1}, 15, 0);
}

}  // namespace tut
