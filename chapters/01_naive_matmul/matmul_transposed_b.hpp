#pragma once

#include "tut/matrix_view.hpp"

namespace tut::ch01 {

/// C = A B^T on the CPU: one dot product of a row of A with a row of B for each element of C.
/// A zero is multiplied like any other number: 0 times an infinity or a NaN is NaN.
///
/// @param a  (M, K), row-major, any stride
/// @param b  (N, K), row-major, any stride: B before it is transposed
/// @param c  (M, N), row-major, any stride; overwritten; must not overlap A or B
/// @throws std::invalid_argument  naming the shapes, if they do not fit or one is empty
///
/// Cost: 2 M N K FLOPs. At least 4 (M K + N K + M N) bytes; the inner loop reads 8 M N K bytes, all
/// of them contiguous.
/// Source: the forward pass of a fully connected layer whose weights are (outputs, inputs).
void matmul_transposed_b(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);

}  // namespace tut::ch01
