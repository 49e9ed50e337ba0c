/// \file
/// Between channels outermost and channels innermost, and between FP32 and what tensor cores
/// multiply on the way.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/nhwc_view.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// out(n, y, x, c) = in(n, c, y, x), rounded to T: float, __half, __nv_bfloat16 or Tf32. The same
/// for filters: (K, C, F, F) becomes (K, F, F, C).
///
/// \param in      (N, C, H, W), device memory; read only
/// \param out     (N, H, W, C), device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. N is at most 65535, C at most 2^21.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈HW/32⌉ ⌈C/32⌉, 1, N), block (32, 8), 4224 bytes of static shared memory.
/// Where an image has one channel or one pixel, and both layouts are the same: grid ⌈N C HW/256⌉,
/// block 256.
///
/// **Cost**: each element read and written once, both coalesced: the transpose of chapter 05 for
/// each image, (C, HW) to (HW, C).
template <class T>
void nchw_to_nhwc(TensorView<const float> in, NhwcView<T> out, cudaStream_t stream = nullptr);

/// The way back: out(n, c, y, x) = in(n, y, x, c) in FP32. All else as above.
template <class T>
void nhwc_to_nchw(NhwcView<const T> in, TensorView<float> out, cudaStream_t stream = nullptr);

}  // namespace tut::ch13
