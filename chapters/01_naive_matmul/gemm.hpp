#pragma once

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch01 {

/// C = alpha A B + beta C on the CPU, as the BLAS defines it: with beta = 0 the old C is not read,
/// so it may be uninitialised, or NaN. With another alpha than 0 a zero in A
/// or B is multiplied like any other number: 0 times an infinity or a NaN is NaN. With alpha = 0
/// nothing is promised where A or B holds an infinity or a NaN. The sums are as exact as in FP32 in
/// any order, or more so.
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
/// Cost: 2 M N K + M K + M N FLOPs in the worked solution; at least 4 (M K + K N + 2 M N) bytes.
/// Source: Dongarra et al., A Set of Level 3 Basic Linear Algebra Subprograms (1990), xGEMM.
void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c);

}  // namespace tut::ch01
