#pragma once

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch01 {

/// C = A B on the CPU, as the definition says: one dot product for each element of C.
///
/// @param a  (M, K), row-major, any stride
/// @param b  (K, N), row-major, any stride
/// @param c  (M, N), row-major, any stride; overwritten; must not overlap A or B
/// @throws std::invalid_argument  naming the shapes, if they do not fit or one is empty
///
/// Cost: 2 M N K FLOPs. At least 4 (M K + K N + M N) bytes; in fact every step of the inner loop
/// touches another row of B, so another 64-byte line: up to 64 M N K bytes once a column of lines,
/// 64 K bytes, no longer fits the first cache.
/// Source: the definition of the matrix product.
void matmul_naive(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);

}  // namespace tut::ch01
