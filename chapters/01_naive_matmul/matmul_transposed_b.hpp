#pragma once

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch01 {

/// C = A B^T on the CPU: one dot product of a row of A with a row of B for each element of C.
/// The element is as exact as a sum in FP32 in any order, or more so, and is written once, when it
/// is done. A zero is multiplied like any other number: 0 times an infinity or a NaN is NaN.
///
/// @param a  (M, K), row-major, any stride
/// @param b  (N, K), row-major, any stride: B before it is transposed
/// @param c  (M, N), row-major, any stride; overwritten; must not overlap A or B.
///           M, N and K are at most 10^9
/// @throws std::invalid_argument  if the shapes do not fit, a size is below 1, or a stride is below
///                                its row
///
/// Cost: 2 M N K FLOPs. At least 4 (M K + N K + M N) bytes; the inner loop of the worked solution
/// reads 8 M N K bytes, all of them contiguous.
/// Source: the forward pass of a fully connected layer whose weights are (outputs, inputs).
void matmul_transposed_b(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);

}  // namespace tut::ch01
