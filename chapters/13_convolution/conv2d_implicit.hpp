/// \file
/// A convolution as a matrix product whose second factor is never stored: implicit GEMM.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// The convolution of conv2d, with padding and stride, as the product
///
///     out (K, pixels) = weights (K, CF^2) * columns (CF^2, pixels)
///
/// where column p holds the input's pixels under a filter at pixel p of the output, (n, y, x). The
/// columns are gathered tile by tile on the way into shared memory: conv2d_im2col without the
/// matrix.
///
/// \param in       (N, C, H, W), device memory; read only
/// \param weights  (K, C, F, F), device memory; read only
/// \param bias     (K), device memory; read only
/// \param out      (N, K, (H + 2p - F) / s + 1, (W + 2p - F) / s + 1), device memory; overwritten
/// \param options  padding p >= 0 and stride s >= 1
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps no other argument. K is at most 2^21.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: tiles of R x 128, where R is 32, 64 or 128, whichever suits K (implicit_rows): grid
/// (⌈pixels/128⌉, ⌈K/R⌉), block 256 for R = 128, else 128; 23,168 to 29,696 bytes of static shared
/// memory.
///
/// **Cost**: 2 K CF^2 pixels FLOPs, of whole tiles. For each tile and each k, R + 128 floats
/// requested: 4 (1/R + 1/128) K CF^2 pixels bytes in all, most from caches; no other memory.
///
/// **Source**: S. Chetlur et al., "cuDNN: Efficient Primitives for Deep Learning" (2014),
/// section 3.
void conv2d_implicit(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                     TensorView<float> out, Conv2dOptions options, cudaStream_t stream = nullptr);

}  // namespace tut::ch13
