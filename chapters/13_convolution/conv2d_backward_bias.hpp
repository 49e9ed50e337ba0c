/// \file
/// The gradient of a convolution with respect to its bias.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// How many floats of scratch memory conv2d_backward_bias needs.
std::size_t conv2d_backward_bias_scratch(TensorView<const float> d_out);

/// d_bias[k] = sum over n, y, x of d_out(n, k, y, x), in three stages of fixed order: parts of a
/// plane, planes, the batch.
///
/// \param d_out    (N, K, H, W), device memory; read only
/// \param d_bias   (K), device memory; overwritten
/// \param scratch  device memory for at least conv2d_backward_bias_scratch floats; overwritten
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. N is at most 65535.
///
/// Errors: `std::invalid_argument` if d_bias is null or the scratch memory too small;
/// `tut::CudaError` if a launch fails.
///
/// **Launch**: grid (K, N), block 32, 128 bytes of static shared memory; then sum_slices.
///
/// **Cost**: NKHW additions, 4NKHW bytes; 8NK bytes of scratch memory.
void conv2d_backward_bias(TensorView<const float> d_out, float* d_bias, std::span<float> scratch,
                          cudaStream_t stream = nullptr);

}  // namespace tut::ch13
