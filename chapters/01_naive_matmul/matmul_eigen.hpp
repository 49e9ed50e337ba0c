#pragma once

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch01 {

/// C = A B by the library Eigen, on one thread: the reference that the chapters are measured by.
///
/// @param a  (M, K), row-major, any stride
/// @param b  (K, N), row-major, any stride
/// @param c  (M, N), row-major, any stride; overwritten; must not overlap A or B
/// @throws std::invalid_argument  naming the shapes, if they do not fit or one is empty
///
/// Cost: 2 M N K FLOPs, at least 4 (M K + K N + M N) bytes.
/// Source: Eigen 3, eigen.tuxfamily.org.
void matmul_eigen(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);

}  // namespace tut::ch01
