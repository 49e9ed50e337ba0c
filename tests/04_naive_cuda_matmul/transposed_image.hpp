#pragma once

#include "tut/guarded.hpp"

namespace tut::ch04 {

/// The image of a matrix's transpose: dense if the matrix is, and beginning at the same place of
/// its memory, else with a stride of its own.
inline Guarded<float> transposed_image(const Guarded<float>& matrix) {
  const bool dense = matrix.stride() == matrix.cols();
  const auto before = static_cast<std::size_t>(matrix.cview().data - matrix.memory().data());
  Guarded<float> result(matrix.cols(), matrix.rows(), dense ? matrix.rows() : matrix.rows() + 3,
                        dense ? before : 4096);
  const auto from = matrix.cview();
  const auto to = result.view();
  for (int r = 0; r < matrix.rows(); ++r) {
    for (int c = 0; c < matrix.cols(); ++c) to(c, r) = from(r, c);
  }
  return result;
}

/// Copies the elements of a transposed image back.
inline void transpose_back(const Guarded<float>& transposed, Guarded<float>& matrix) {
  const auto from = transposed.cview();
  const auto to = matrix.view();
  for (int r = 0; r < matrix.rows(); ++r) {
    for (int c = 0; c < matrix.cols(); ++c) to(r, c) = from(c, r);
  }
}

}  // namespace tut::ch04
