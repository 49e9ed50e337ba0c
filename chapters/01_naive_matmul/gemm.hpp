#pragma once

#include "tut/matrix_view.hpp"

namespace tut::ch01 {

/// C = alpha A B + beta C on the CPU, as the BLAS defines it: with beta = 0 the old C is not read,
/// so it may be uninitialised, or NaN. With another alpha than 0 a zero in A
/// or B is multiplied like any other number: 0 times an infinity or a NaN is NaN.
///
/// @param alpha  factor of the product
/// @param a      (M, K), row-major, any stride
/// @param b      (K, N), row-major, any stride
/// @param beta   factor of the old C
/// @param c      (M, N), row-major, any stride; must not overlap A or B
/// @throws std::invalid_argument  naming the shapes, if they do not fit or one is empty
///
/// Cost: 2 M N K + 3 M N FLOPs; at least 4 (M K + K N + 2 M N) bytes.
/// Source: Dongarra et al., A Set of Level 3 Basic Linear Algebra Subprograms (1990), xGEMM.
void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c);

}  // namespace tut::ch01
