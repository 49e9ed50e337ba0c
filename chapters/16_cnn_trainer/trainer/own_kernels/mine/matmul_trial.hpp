/// \file
/// What the trials of products share.
#pragma once

#include <cstddef>
#include <vector>

#include "16_cnn_trainer/trainer/own_kernels/mine/adapters.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/trial.hpp"

namespace tut::ch16::mine {

struct MatmulTrial {
  int m, n, k;
};

/// Around the sides of tiles, and those of the trainer's last layer.
inline constexpr MatmulTrial kMatmulTrials[] = {{1, 1, 1},    {33, 31, 65}, {5, 97, 7},
                                                {32, 64, 32}, {64, 10, 97}, {7, 129, 10}};

/// Elements of a matrix.
constexpr std::size_t size(int rows, int cols) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

/// Whether `product` gives C = AB, or with A given as (K, M), C = AᵀB.
inline bool product_agrees(Matmul product, bool a_transposed = false) {
  for (const auto& [m, n, k] : kMatmulTrials) {
    const Values a = Values::random(size(m, k), 1), b = Values::random(size(k, n), 2);
    std::vector<float> sums;
    for (int row = 0; row < m; ++row) {
      for (int col = 0; col < n; ++col) {
        double sum = 0;
        for (int i = 0; i < k; ++i) {
          sum += double{a.at(a_transposed ? size(i, m) + row : size(row, k) + i)} *
                 b.at(size(i, n) + col);
        }
        sums.push_back(static_cast<float>(sum));
      }
    }
    const Values got(sums.size());
    const MatrixView<const float> a_view{a.data(), a_transposed ? k : m, a_transposed ? m : k,
                                         a_transposed ? m : k};
    product(a_view, {b.data(), k, n, n}, {got.data(), m, n, n}, nullptr);
    if (!near(got, Values(sums)) || !a.unchanged() || !b.unchanged()) return false;
  }
  return true;
}

}  // namespace tut::ch16::mine
