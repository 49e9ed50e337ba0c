/// \file
/// Contract of the exercise conv2d_transposed: a convolution that makes images larger.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// The sides of a transposed convolution's output: every pixel of the input puts down a whole
/// filter, `stride` apart, and `padding` rows and columns are cut off on each side. At most what an
/// int holds.
constexpr int transposed_side(int side, int filter, int padding, int stride) {
  const std::int64_t result =
      (side - std::int64_t{1}) * stride + filter - std::int64_t{2} * padding;
  using Limits = std::numeric_limits<int>;
  return static_cast<int>(std::clamp<std::int64_t>(result, Limits::min(), Limits::max()));
}

/// The transposed convolution: what conv2d_backward_input does to a gradient, done to an image.
/// Pixel (a, b) of the input adds its value times the filter to the output's pixels (a * s + i - p,
/// b * s + j - p):
///
///     out(n, k, y, x) = bias[k] + sum over c, i, j and all a, b with a * s + i - p = y and
///                       b * s + j - p = x of in(n, c, a, b) * weights(c, k, i, j)
///
/// The sentence above scatters; threads that scatter would add to the same element at the same
/// time. The formula gathers: a thread owns an element and looks for what belongs to it. An
/// infinity or NaN in a pixel or a weight reaches the elements that it is a factor of, even beside
/// a 0, and no others.
///
/// \param in       (N, C, H, W), device memory; read only
/// \param weights  (C, K, F, F), device memory; read only
/// \param bias     (K), device memory; read only
/// \param out      (N, K, (H - 1)s - 2p + F, (W - 1)s - 2p + F), device memory; overwritten
/// \param options  padding p >= 0 and stride s >= 1
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps no other argument. N and K are at most 65535. in, weights and
/// out have at most 10^9 elements each.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1, p or s is out of
/// its range, or data null; `tut::CudaError` if the launch fails.
///
/// Accuracy: let an element v be the sum of n products and the bias, and S the sum of the absolute
/// values of these n + 1 terms. For random numbers, whose roundings do not all go one way, v is off
/// by at most 2^-24 (|v| + 2 sqrt(n + 1) S).
///
/// **Launch**: grid (⌈pixels of an image of the output/128⌉, K, N), block 128, no shared memory.
///
/// **Cost**: 2 in KF^2 FLOPs, where in is the number of elements of the input. With stride 1, for
/// each element of the output and each of CF^2 taps a pixel, 4 bytes, and a weight that a warp
/// shares, 1 byte; for each element 1 byte of bias and 4 written.
///
/// **Source**: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning" (2016),
/// section 4.
void conv2d_transposed(TensorView<const float> in, TensorView<const float> weights,
                       const float* bias, TensorView<float> out, Conv2dOptions options,
                       cudaStream_t stream = nullptr);

}  // namespace tut::ch13
