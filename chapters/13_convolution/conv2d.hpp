/// \file
/// The direct convolution of a batch of images with a bank of filters, and its bias.
#pragma once

#include <cuda_runtime.h>

#include "tut/tensor_view.hpp"

namespace tut::ch13 {

/// Convolves each image with each filter ("valid": only where the filter lies inside the image,
/// stride 1, not flipped), and adds the filter's bias:
///
///     out(n, k, y, x) = bias[k] + sum over c, i, j of in(n, c, y + i, x + j) * weights(k, c, i, j)
///
/// \param in       (N, C, H, W), device memory; read only
/// \param weights  (K, C, F, F), device memory, F is at most H and W; read only
/// \param bias     (K), device memory; read only
/// \param out      (N, K, H - F + 1, W - F + 1), device memory; overwritten
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps no other argument. W - F + 1 is at most 1024, N and K at most 65535.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (row tiles, K / B, N), block (W - F + 1, rows of a tile), no shared memory.
/// Where F is 5, 8 divides K and the input is a layer's of this course's network, every thread
/// computes one pixel of B = 8 filters; B is 1 for all other sizes.
///
/// **Cost**: 2NK(H - F + 1)(W - F + 1)CF^2 FLOPs. Each load of a pixel feeds B multiply-adds. The
/// least traffic is 4 bytes for every element of in, weights, bias and out.
///
/// **Source**: the definition of a convolution layer, as in Goodfellow, Bengio, Courville, "Deep
/// Learning" (2016), section 9.1.
void conv2d(TensorView<const float> in, TensorView<const float> weights, const float* bias,
            TensorView<float> out, cudaStream_t stream = nullptr);

}  // namespace tut::ch13
