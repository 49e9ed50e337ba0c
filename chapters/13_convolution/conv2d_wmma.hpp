/// \file
/// A convolution on tensor cores: implicit GEMM with factors of 16 bits or TF32.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/nhwc_view.hpp"

namespace tut::ch13 {

/// The convolution of conv2d, with padding and stride, on tensor cores, as the product
///
///     out (pixels, K) = rows (pixels, F^2 C) * weights^T (F^2 C, K)
///
/// of factors in T, __half, __nv_bfloat16 or Tf32; sums in FP32; the output in U, float or T. The
/// layout is NHWC: the channels of a pixel are neighbours, so that where 8 divides C (4 for TF32),
/// 16 bytes of a row of the product are 16 bytes in memory, and the product's result is the output
/// as it has to lie. convert_layout.hpp converts.
///
/// \param in       (N, H, W, C), device memory; read only
/// \param weights  (K, F, F, C), device memory; read only
/// \param bias     (K) in FP32, device memory; read only
/// \param out      (N, (H + 2p - F) / s + 1, (W + 2p - F) / s + 1, K), device memory; overwritten
/// \param options  padding p >= 0 and stride s >= 1
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps no other argument. The output has at most 2^22 pixels.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `std::runtime_error` on a device
/// without tensor cores for T; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈K/64⌉ ⌈pixels/64⌉), block 128, 28 KiB of static shared memory, of TF32 36;
/// for 16 filters and fewer (⌈pixels/128⌉), for 16 pixels and fewer (⌈K/128⌉).
///
/// **Cost**: 2 K CF^2 pixels FLOPs. For each tile of 64 x 64 and each k, 128 elements of 2 bytes
/// requested, of 4 in TF32. Where 8 (4) does not divide C, or an address is no multiple of 16
/// bytes, every element is fetched on its own.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Matrix Functions"; S. Chetlur et al., "cuDNN:
/// Efficient Primitives for Deep Learning" (2014), section 3.
template <class T, class U>
void conv2d_wmma(NhwcView<const T> in, NhwcView<const T> weights, const float* bias,
                 NhwcView<U> out, Conv2dOptions options, cudaStream_t stream = nullptr);

}  // namespace tut::ch13
