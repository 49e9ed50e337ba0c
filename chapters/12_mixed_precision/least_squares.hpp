/// \file
/// A gradient that is computed in FP32 and stored in FP16: the example in which gradients vanish.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <span>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch12 {

/// The gradient of scale * |Xw - y|^2 / 2n, rounded to FP16 as backward passes in mixed precision
/// store it.
///
/// \param x         (n, m), row-major, device memory; read only
/// \param w         m weights in device memory; read only
/// \param y         n targets in device memory; read only
/// \param scale     one float in device memory: the loss scale; read only
/// \param residual  n floats in device memory; overwritten with Xw - y
/// \param gradient  m halves in device memory; overwritten
/// \param stream    stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: the outputs overlap nothing.
///
/// Errors: `std::invalid_argument` if the lengths do not fit or `scale` is null; `tut::CudaError`
/// if a launch fails.
///
/// **Launch**: two kernels, one thread a row and one thread a column, blocks of 128.
///
/// **Cost**: 4nm FLOPs, X is read twice. Made for the example, not for speed.
void least_squares_gradient(MatrixView<const float> x, std::span<const float> w,
                            std::span<const float> y, const float* scale, std::span<float> residual,
                            std::span<half> gradient, cudaStream_t stream = nullptr);

}  // namespace tut::ch12
