/// \file
/// A convolution that ends with what follows it: bias, ReLU and max-pooling, in one kernel.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "13_convolution/convolution_shape.hpp"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "tut/tensor_view.hpp"

namespace tut::ch14 {

/// out = max_pool(relu(conv2d(in, weights) + bias)), with windows of 2 x 2. The four sums of a
/// window never leave the block that computes them: the convolution's output exists nowhere.
///
/// \param in       (N, C, H, W), device memory; read only
/// \param weights  (K, C, F, F), device memory; read only
/// \param bias     (K), device memory; read only
/// \param out      (N, K, H' / 2, W' / 2), rounded down, where H' = (H + 2p - F) / s + 1 and W'
///                 likewise, both at least 2; device memory; overwritten
/// \param winners  as many as out has elements, for bias_relu_max_pool_backward, device memory;
///                 overwritten; or none, if there will be no backward pass
/// \param options  padding p >= 0 and stride s >= 1
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. N and K are at most 65535.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: for the layers that has_fused_convolution names, a thread for each column of the
/// convolution, 8 filters and 2 rows, blocks of 4 rows of windows, up to 6 KiB of static shared
/// memory; otherwise a thread a window and filter, blocks of 128.
///
/// **Cost**: 8 C F^2 FLOPs a window, for each of the four pixels 2 C F^2. Beside what the
/// convolution reads, 5 bytes a window (4 without winners); conv2d and bias_relu_max_pool move 37.
///
/// **Source**: NVIDIA, cuDNN documentation, "Fusion patterns": a convolution's epilogue.
void conv2d_bias_relu_max_pool(TensorView<const float> in, TensorView<const float> weights,
                               const float* bias, TensorView<float> out, std::span<Winner> winners,
                               ch13::Conv2dOptions options = {}, cudaStream_t stream = nullptr);

/// Whether there is a kernel with this layer's sizes built in. The general one reads a pixel again
/// for every tap, and loses to a convolution in tiles with a kernel for the rest.
bool has_fused_convolution(const ch13::ConvolutionShape& shape);

}  // namespace tut::ch14
