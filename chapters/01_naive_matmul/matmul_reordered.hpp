#pragma once

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch01 {

/// C = A B on the CPU with the loops in the order i, k, j: the inner loop adds a multiple of a row
/// of B to a row of C, both contiguous, and the compiler turns it into vector instructions.
///
/// @param a  (M, K), row-major, any stride
/// @param b  (K, N), row-major, any stride
/// @param c  (M, N), row-major, any stride; overwritten; must not overlap A or B
/// @throws std::invalid_argument  naming the shapes, if they do not fit or one is empty
///
/// Cost: 2 M N K FLOPs. At least 4 (M K + K N + M N) bytes; in fact a row of B is read and a row of
/// C read and written for each element of A: 12 M N K bytes, most of them from a cache.
/// Source: Golub and Van Loan, Matrix Computations, section 1.1 (the six loop orders).
void matmul_reordered(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);

}  // namespace tut::ch01
