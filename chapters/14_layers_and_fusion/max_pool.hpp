/// \file
/// Max-pooling by windows of 2 x 2, and its gradient.
#pragma once

#include <cuda_runtime.h>

#include "tut/tensor_view.hpp"

namespace tut::ch14 {

/// Halves each plane: every output is the largest of a window of 2 x 2 inputs. Windows do not
/// overlap.
///
/// \param in      (N, C, H, W), device memory; read only; H and W are even
/// \param out     (N, C, H / 2, W / 2), device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. W is at most 2048.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread an output; grid (row tiles), block (W / 2, rows of a tile).
///
/// **Cost**: 20 bytes an output (16 read, 4 written); bandwidth is the limit.
///
/// **Source**: Goodfellow, Bengio, Courville, "Deep Learning" (2016), section 9.3.
void max_pool(TensorView<const float> in, TensorView<float> out, cudaStream_t stream = nullptr);

/// Given the gradient of a loss with respect to max_pool's output, computes the gradient with
/// respect to its input: all of it goes to the largest element of each window, the first of equals
/// in row-major order, and 0 to the others.
///
/// \param in      what max_pool was given, (N, C, H, W), device memory; read only
/// \param d_out   (N, C, H / 2, W / 2), device memory; read only
/// \param d_in    (N, C, H, W), device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: d_in overlaps neither in nor d_out. W is at most 2048.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread a window, which it writes whole; grid (row tiles), block (W / 2, rows of
/// a tile).
///
/// **Cost**: 36 bytes a window (20 read, 16 written); bandwidth is the limit.
///
/// **Source**: the derivative of the maximum.
void max_pool_backward(TensorView<const float> in, TensorView<const float> d_out,
                       TensorView<float> d_in, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
