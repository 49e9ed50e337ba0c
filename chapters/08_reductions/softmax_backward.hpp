/// \file
/// Contract of the exercise softmax_backward: the gradient of a softmax, each element read once.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch08 {

/// Let y = softmax of the rows of x, and d_y the gradient with respect to y of some number that is
/// computed from y: its derivatives with respect to the elements of y. Computes d_x, the gradient
/// of that number with respect to x:
///
///     d_x(i, j) = y(i, j) * (d_y(i, j) - sum over k of y(i, k) * d_y(i, k))
///
/// Infinities and NaN follow the formula: they reach no other row. The tests allow an error of
/// 2⁻²⁴ |y(i, j)| (32 s + 4 |d_y(i, j)|), with s the sum over k of |y(i, k) d_y(i, k)|.
///
/// All in one launch. The rows of y and d_y stay in registers or in shared memory between their one
/// read and the one write of d_x.
///
/// \param y       (M, N), row-major, device memory, stride >= N; read only; N <= 4096
/// \param d_y     (M, N), row-major, device memory, stride >= N; read only
/// \param d_x     (M, N), row-major, device memory, stride >= N; overwritten, its padding kept; may
///                be `d_y` or `y` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: d_x is y, is d_y, or overlaps neither. M is at most 10⁹.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1, N is above 4096 or
/// a stride is below N; `tut::CudaError` if the launch fails.
///
/// **Launch**: a block of 256 threads for each row.
///
/// **Cost**: 4MN FLOPs; 12MN bytes. Accesses of 16 bytes where 4 divides N and all strides, and
/// rows begin at multiples of 16 bytes.
///
/// **Source**: the formula of softmax, differentiated.
void softmax_backward(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x,
                      cudaStream_t stream = nullptr);

}  // namespace tut::ch08
