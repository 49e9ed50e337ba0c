/// \file
/// Contract of the exercise conv2d_dilated: filters whose taps lie apart.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// How many pixels a filter of `side` taps spans when its taps lie `dilation` pixels apart, or the
/// most that an int holds.
constexpr int dilated_side(int side, int dilation) {
  const std::int64_t span = (side - 1) * std::int64_t{dilation} + 1;
  return static_cast<int>(std::min<std::int64_t>(span, std::numeric_limits<int>::max()));
}

/// A convolution whose filter looks at every dilation-th pixel: with D = dilation, padding p and
/// stride s, where pixels outside of the image are 0,
///
///     out(n, k, y, x) = bias[k] + sum over c, i, j of
///                       in(n, c, y * s + i * D - p, x * s + j * D - p) * weights(k, c, i, j)
///
/// A filter of 3 x 3 taps spans 5 x 5 pixels with D = 2, at the cost of nine. An infinity or NaN in
/// a pixel reaches the outputs whose filter has a tap on it, even one of weight 0, and no others.
///
/// \param in        (N, C, H, W), device memory; read only
/// \param weights   (K, C, F, F), device memory; read only
/// \param bias      (K), device memory; read only
/// \param out       (N, K, (H + 2p - S) / s + 1, (W + 2p - S) / s + 1) with S = dilated_side(F, D),
///                  device memory; overwritten
/// \param options   padding p >= 0 and stride s >= 1
/// \param dilation  D >= 1; 1 is conv2d
/// \param stream    stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps no other argument. N and K are at most 65535. in, weights and
/// out have at most 10^9 elements each. Weights are finite.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1, p, s or D is out of
/// its range, or data null; `tut::CudaError` if the launch fails.
///
/// Accuracy: let an element v be the sum of n products and the bias, and S the sum of the absolute
/// values of these n + 1 terms. For random numbers, whose roundings do not all go one way, v is off
/// by at most 2^-24 (|v| + 2 sqrt(n + 1) S).
///
/// **Launch**: grid (⌈pixels of an image/128⌉, K, N), block 128, no shared memory.
///
/// **Cost**: 2 out CF^2 FLOPs, where out is the number of elements of the output, whatever D is.
/// For each element and tap a pixel, 4 bytes in whole sectors, and a weight that a warp shares, 1
/// byte; for each element 1 byte of bias and 4 written.
///
/// **Source**: F. Yu and V. Koltun, "Multi-Scale Context Aggregation by Dilated Convolutions"
/// (2016).
void conv2d_dilated(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                    TensorView<float> out, Conv2dOptions options, int dilation,
                    cudaStream_t stream = nullptr);

}  // namespace tut::ch13
