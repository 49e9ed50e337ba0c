#pragma once

#include "tut/matrix_view.hpp"

namespace tut::ch02 {

/// C = alpha A B + beta C on one core, in blocks, with the blocks in another order than
/// matmul_blocked: a block of C is finished, over all of K, before the next one is begun, so C is
/// read and written once. With beta = 0 the old C is not read. With another alpha than 0 a zero
/// in A or B is multiplied like any other number: 0 times an infinity or a NaN is NaN.
///
/// @param alpha  factor of the product
/// @param a      (M, K), row-major, any stride
/// @param b      (K, N), row-major, any stride
/// @param beta   factor of the old C
/// @param c      (M, N), row-major, any stride; must not overlap A or B
/// @throws std::invalid_argument  naming the shapes, if they do not fit or one is empty
///
/// Cost: 2 M N K + 3 M N FLOPs. With blocks of C of 32 x 64: A is read N / 64 times, B M / 32
/// times, C once. Source: Lam, Rothberg and Wolf, The Cache Performance and Optimizations of
/// Blocked Algorithms (1991).
void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c);

}  // namespace tut::ch02
