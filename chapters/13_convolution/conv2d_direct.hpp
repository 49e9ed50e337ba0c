/// \file
/// The definition of a convolution as a kernel: a thread computes one pixel of one filter.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// The convolution of conv2d, with padding and stride, one thread for each element of the output.
///
/// \param in       (N, C, H, W), device memory; read only
/// \param weights  (K, C, F, F), device memory; read only
/// \param bias     (K), device memory; read only
/// \param out      (N, K, (H + 2p - F) / s + 1, (W + 2p - F) / s + 1), device memory; overwritten
/// \param options  padding p >= 0 and stride s >= 1
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps no other argument. NK is at most 65535 * 65535.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈pixels of an image/128⌉, K, N), block 128, no shared memory.
///
/// **Cost**: 2 out CF^2 FLOPs, where out is the number of elements of the output. Two loads for
/// each multiply-add: 8 out CF^2 bytes requested, most from caches.
///
/// **Source**: the definition of a convolution layer, as in Goodfellow, Bengio, Courville, "Deep
/// Learning" (2016), section 9.1.
void conv2d_direct(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                   TensorView<float> out, Conv2dOptions options, cudaStream_t stream = nullptr);

}  // namespace tut::ch13
