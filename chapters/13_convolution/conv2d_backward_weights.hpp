/// \file
/// The gradients of a convolution with respect to its weights and its bias.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "13_convolution/conv2d_tiles.hpp"
#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// How many floats of scratch memory conv2d_backward_weights needs for these shapes, whatever the
/// options.
std::size_t conv2d_backward_weights_scratch(TensorView<const float> d_out,
                                            TensorView<const float> d_weights);

/// How many counters conv2d_backward_weights wants for this shape.
std::size_t conv2d_backward_weights_counters(TensorView<const float> d_weights);

/// Given the gradient of a loss with respect to conv2d's output, computes the gradients with
/// respect to the weights and the bias, summed over the batch; in is 0 outside of the image:
///
///     d_weights(k, c, i, j) = sum over n, y, x of
///                             d_out(n, k, y, x) * in(n, c, y * s + i - p, x * s + j - p)
///     d_bias[k]             = sum over n, y, x of d_out(n, k, y, x)
///
/// Each sum is taken in stages: threads, blocks, slices of the batch. The order is fixed and
/// nothing is atomic, so equal inputs give equal bits.
///
/// \param in         (N, C, H, W), device memory; read only
/// \param d_out      (N, K, (H + 2p - F) / s + 1, (W + 2p - F) / s + 1), device memory; read only
/// \param d_weights  (K, C, F, F), device memory; overwritten
/// \param d_bias     (K), device memory; overwritten; a null pointer if it is not wanted
/// \param sums       device memory: at least conv2d_backward_weights_scratch floats, overwritten,
///                   and conv2d_backward_weights_counters counters, which are 0 before and after
///                   the call; or no counters, which costs a launch that sets some to 0
/// \param options    those of conv2d
/// \param stream     stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. N, K and C are at most 65535.
///
/// Errors: `std::invalid_argument` if the shapes do not fit or the scratch memory is too small;
/// `tut::CudaError` if a launch fails.
///
/// **Launch**: conv2d_tiles_backward_weights for layers with stride 1 and F of 1, 3 or 5 that have
/// few channels or filters (suits_tiles), otherwise conv2d_implicit_backward_weights. The bias is
/// conv2d_backward_bias's.
///
/// **Cost**: 2 K CF^2 pixels FLOPs. For each weight and slice of the batch 8 bytes of scratch
/// memory written and read.
///
/// **Source**: the chain rule applied to conv2d's definition.
void conv2d_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                             TensorView<float> d_weights, float* d_bias, const SliceSums& sums,
                             Conv2dOptions options = {}, cudaStream_t stream = nullptr);

}  // namespace tut::ch13
