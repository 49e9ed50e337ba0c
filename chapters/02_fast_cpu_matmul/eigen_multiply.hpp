#pragma once

#include <Eigen/Core>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch02 {
namespace {

/// In each source its own: the build gives every one of them other instructions, and Eigen another
/// name.
inline void eigen_multiply(MatrixView<const float> a, MatrixView<const float> b,
                           MatrixView<float> c) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Input = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
  using Output = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;
  Output(c.data, c.rows, c.cols, Eigen::OuterStride<>(c.stride)).noalias() =
      Input(a.data, a.rows, a.cols, Eigen::OuterStride<>(a.stride)) *
      Input(b.data, b.rows, b.cols, Eigen::OuterStride<>(b.stride));
}

}  // namespace
}  // namespace tut::ch02
