#include "01_naive_matmul/matmul_eigen.hpp"

#include <Eigen/Core>

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void matmul_eigen(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto input = [](MatrixView<const float> view) {
    return Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(view.data, view.rows, view.cols,
                                                             Eigen::OuterStride<>(view.stride));
  };
  Eigen::Map<Matrix, 0, Eigen::OuterStride<>> product(c.data, c.rows, c.cols,
                                                      Eigen::OuterStride<>(c.stride));
  product.noalias() = input(a) * input(b);
}

}  // namespace tut::ch01
