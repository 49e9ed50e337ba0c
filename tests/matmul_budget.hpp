/// \file
/// Budgets of products.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tut/budget.hpp"
#include "tut/matmul_battery.hpp"

namespace tut {

/// Elements more from row to row: rows of whole tiles then begin at multiples of 128 bytes, as they
/// do in dense matrices.
inline constexpr int kLongerRows = 32;

/// One product of random matrices whose rows are so many elements longer than they need to be.
inline Outcome longer_rows_outcome(const MatmulRun<float, float>& run, const MatmulShape& shape,
                                   int longer) {
  const auto [m, n, k] = shape;
  const auto image = [=](int rows, int cols) {
    return Guarded<float>(rows, cols, cols + longer, 0);
  };
  detail::MatmulImages<float, float> images{image(m, k), image(k, n), image(m, n)};
  images.a.set(detail::matmul_input(m, k, MatmulInputs::random, 0, 0, 1));
  images.b.set(detail::matmul_input(k, n, MatmulInputs::random, 1, 0, 1));
  const std::string text =
      detail::case_text(shape, MatmulInputs::random, k + longer, n + longer, n + longer);
  return detail::run_and_judge(run, std::move(images), {}, text);
}

/// Fails if one product, counted, costs more than the exercise may, or is wrong: of dense matrices,
/// and of such as have longer rows.
inline void expect_product_budget(const std::string& exercise, const MatmulShape& shape,
                                  double cost_bytes, const MatmulRun<float, float>& run,
                                  const SourceLocation& where = SourceLocation::current()) {
  for (const int longer : {0, kLongerRows}) {
    expect_budget(
        exercise, cost_bytes, [&] { return longer_rows_outcome(run, shape, longer); }, where);
  }
}

}  // namespace tut
