/// \file
/// A convolution together with bias, ReLU and max-pooling, in one kernel.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "13_convolution/conv2d_tiles.hpp"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch14 {

/// out = max_pool(relu(conv2d(in, weights) + bias)), with windows of 2 x 2, for every layer of
/// which ch13::has_tiles. A thread computes the four sums of a window in registers, and the
/// convolution's output is never stored.
///
/// \param in       (N, C, H, W), device memory; read only
/// \param weights  (K, C, F, F), device memory; read only
/// \param bias     (K), device memory; read only
/// \param out      (N, K, H' / 2, W' / 2), rounded down, where H' = H + 2p - F + 1 and W' likewise,
///                 both at least 2; device memory; overwritten
/// \param winners  as many as out has elements, for bias_relu_max_pool_backward, device memory;
///                 overwritten; or none, if there will be no backward pass
/// \param padding  p >= 0
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, or if the layer has no tiles;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: block (S, G), where G groups of 4 filters are 8, or 4, 2 or 1 if that leaves none
/// without work, and S pairs of windows are 256 / G, or half or a quarter of it and so on, but at
/// least 32, if there would be fewer than 256 blocks. A row is cut into T tiles of up to 16 pairs;
/// the pairs of a column of tiles are numbered through all images, and blocks take S each: grid
/// (T * blocks of a column, ⌈K/4G⌉). Dynamic shared memory: up to 43 KB.
///
/// **Cost**: 8 C F^2 FLOPs a window, for each of the four pixels 2 C F^2. Beside what the
/// convolution reads, 5 bytes a window (4 without winners); conv2d and bias_relu_max_pool move 37.
/// A pixel and its surroundings are read once for 4G filters, a filter once for 8S pixels.
///
/// **Source**: NVIDIA, cuDNN documentation, "Fusion patterns": a convolution's epilogue.
void conv2d_bias_relu_max_pool(TensorView<const float> in, TensorView<const float> weights,
                               const float* bias, TensorView<float> out, std::span<Winner> winners,
                               int padding = 0, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
