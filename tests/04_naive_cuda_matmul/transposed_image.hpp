#pragma once

#include <cstddef>
#include <cstdint>

#include "tut/trial/guarded.hpp"

namespace tut::ch04 {

/// From one row of transposed_image to the next.
inline std::int64_t transposed_stride(const Guarded<float>& matrix) {
  return matrix.rows() + (matrix.stride() - matrix.cols());
}

/// The image of a matrix's transpose, whose rows are as much longer than they need to be, and which
/// begins at the same place of its memory if it is dense, or nothing is around it.
inline Guarded<float> transposed_image(const Guarded<float>& matrix) {
  const std::int64_t longer = matrix.stride() - matrix.cols();
  const auto before = static_cast<std::size_t>(matrix.cview().data - matrix.memory().data());
  Guarded<float> result(matrix.cols(), matrix.rows(), transposed_stride(matrix),
                        longer == 0 || before == 0 ? before : 4096);
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
