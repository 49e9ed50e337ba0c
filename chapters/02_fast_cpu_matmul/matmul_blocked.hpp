#pragma once

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch02 {

/// C = A B on one core, in blocks: the loops i, k, j of chapter 01 run over a block of B that stays
/// in the second cache while every row of A and C passes by it.
///
/// @param a  (M, K), row-major, any stride
/// @param b  (K, N), row-major, any stride
/// @param c  (M, N), row-major, any stride; overwritten; must not overlap A or B
/// @throws std::invalid_argument  naming the shapes, if they do not fit or one is empty
///
/// Cost: 2 M N K FLOPs. From beyond the second cache 4 (K N + M K N / block_cols + 2 M N K /
/// block_depth) bytes, from the first two caches still 12 M N K.
/// Source: Lam, Rothberg and Wolf, The Cache Performance and Optimizations of Blocked Algorithms
/// (1991).
void matmul_blocked(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);

}  // namespace tut::ch02
