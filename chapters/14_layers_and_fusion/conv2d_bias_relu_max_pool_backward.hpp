/// \file
/// The gradients of a convolution's weights and bias, straight from that of the pooled tensor.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "13_convolution/conv2d_tiles.hpp"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch14 {

/// How many floats ch13::SliceSums::partial needs for these shapes, and for fewer images. Of
/// counters it needs as many as ch13::conv2d_tiles_backward_weights.
///
/// \param in         (N, C, H, W)
/// \param d_weights  (K, C, F, F)
std::size_t conv2d_bias_relu_max_pool_backward_weights_scratch(TensorView<const float> in,
                                                               TensorView<const float> d_weights,
                                                               int padding = 0);

/// Given the gradient of a loss with respect to conv2d_bias_relu_max_pool's output, computes those
/// with respect to the weights and the bias. It is bias_relu_max_pool_backward and then
/// ch13::conv2d_tiles_backward_weights, but the gradient of what lies between them is never stored:
/// a block makes it where it stages it. For a layer that needs the gradient of its input too, the
/// separate kernels are there, as that reads the same tensor again.
///
/// \param in         (N, C, H, W), device memory; read only
/// \param winners    what conv2d_bias_relu_max_pool left there; read only
/// \param d_out      (N, K, H' / 2, W' / 2), rounded down, where H' = H + 2p - F + 1 and W'
///                   likewise, both at least 2; device memory; read only
/// \param d_weights  (K, C, F, F), device memory; overwritten
/// \param d_bias     (K), device memory; overwritten
/// \param sums       memory for the sums of blocks
/// \param padding    p >= 0
/// \param stream     stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, if the layer has no tiles or if the
/// memory for the sums is too small; `tut::CudaError` if the launch fails.
///
/// **Launch**: that of ch13::conv2d_tiles_backward_weights.
///
/// **Cost**: 2 K CF^2 FLOPs for each pixel before the pooling, of whole strips. A window's 5 bytes
/// are read for its upper and for its lower row, once for 4 channels; the separate kernels read
/// them once, and write and read 16 bytes for each window besides.
///
/// **Source**: the chain rule.
void conv2d_bias_relu_max_pool_backward_weights(TensorView<const float> in,
                                                std::span<const Winner> winners,
                                                TensorView<const float> d_out,
                                                TensorView<float> d_weights, float* d_bias,
                                                const ch13::SliceSums& sums, int padding = 0,
                                                cudaStream_t stream = nullptr);

}  // namespace tut::ch14
