#pragma once

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch02 {

/// C = alpha A B + beta C on one core, in blocks, with the blocks in another order than
/// matmul_blocked: a block of C, of 16 elements or more where C has them, is finished, over all of
/// K, before it is written, so each element of C is written once. With beta = 0 the old C is not
/// read. With another alpha than 0 a zero in A or B is multiplied like any other number: 0 times an
/// infinity or a NaN is NaN. With alpha = 0 nothing is promised where A or B holds an infinity or a
/// NaN, or a product or a sum is beyond FP32. The sums are as exact as in FP32 in any order, or
/// more so.
///
/// @param alpha  factor of the product
/// @param a      (M, K), row-major, any stride
/// @param b      (K, N), row-major, any stride
/// @param beta   factor of the old C
/// @param c      (M, N), row-major, any stride; must not overlap A or B.
///               M, N and K are at most 10^9
/// @throws std::invalid_argument  if the shapes do not fit, a size is below 1, or a stride is below
///                                its row
///
/// Cost: 2 M N K + 3 M N FLOPs. The worked solution, with blocks of C of 32 x 64, reads A N / 64
/// times, B M / 32 times, and C once. Source: Lam, Rothberg and Wolf, The Cache Performance and
/// Optimizations of Blocked Algorithms (1991).
void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c);

}  // namespace tut::ch02
