/// \file
/// ReLU and max-pooling of images whose channels are innermost, as tensor cores want them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <span>

#include "13_convolution/nhwc_view.hpp"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"

namespace tut::ch14 {

/// What max_pool_nhwc does before it takes the largest.
enum class BeforePool { nothing, relu };

/// Every output is the largest of a window of 2 x 2 inputs, or 0 if that is larger and `before` is
/// a ReLU. If the number of rows or columns is odd, the last one is in no window. Of
/// equals the first in row-major order wins; a NaN is the largest.
///
/// \param in       (N, H, W, C), device memory; read only; H and W are at least 2
/// \param out      (N, H / 2, W / 2, C), rounded down, device memory; overwritten
/// \param winners  as many as out has elements, for the backward pass, device memory; overwritten
/// \param before   whether there is a ReLU before
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread for 16 bytes of channels, or for one where the channels are no multiple
/// of that; channels along a warp, blocks of up to 256.
///
/// **Cost**: 5 elements and a byte an output; bandwidth is the limit.
///
/// **Source**: the definitions.
template <class T>
void max_pool_nhwc(ch13::NhwcView<const T> in, ch13::NhwcView<T> out, std::span<Winner> winners,
                   BeforePool before, cudaStream_t stream = nullptr);

/// The gradient with respect to max_pool_nhwc's input: that of each output at its window's winner,
/// 0 elsewhere.
///
/// \param winners  what max_pool_nhwc left there; read only
/// \param d_out    (N, H / 2, W / 2, C), rounded down, device memory; read only
/// \param d_in     (N, H, W, C), device memory; overwritten
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if a launch fails.
///
/// **Launch**: as max_pool_nhwc. Where a side is odd, d_in is set to 0 before.
///
/// **Cost**: 5 elements and a byte an output; bandwidth is the limit.
///
/// **Source**: the chain rule.
template <class T>
void max_pool_nhwc_backward(std::span<const Winner> winners, ch13::NhwcView<const T> d_out,
                            ch13::NhwcView<T> d_in, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
