/// \file
/// Max-pooling by windows of 2 x 2, and its gradient.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/tensor_view.hpp"

namespace tut::ch14 {

/// Halves each plane: every output is the largest of a window of 2 x 2 inputs. Windows do not
/// overlap; if the number of rows or columns is odd, the last one is in no window. Comparisons with
/// NaN are false, so only a NaN in the window's first place is certain to reach the output.
///
/// \param in      (N, C, H, W), device memory; read only; H and W are at least 2
/// \param out     (N, C, H / 2, W / 2), rounded down, device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread an output; blocks of up to 256 columns and 256 threads.
///
/// **Cost**: 5 elements an output (4 read, 1 written): 20 bytes of float, 10 of 16-bit types, for
/// even W, where both elements in a row of a window move together; bandwidth is the limit.
///
/// **Source**: Goodfellow, Bengio, Courville, "Deep Learning" (2016), section 9.3.
void max_pool(TensorView<const float> in, TensorView<float> out, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void max_pool(TensorView<const __half> in, TensorView<__half> out, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void max_pool(TensorView<const __nv_bfloat16> in, TensorView<__nv_bfloat16> out,
              cudaStream_t stream = nullptr);

/// Given the gradient of a loss with respect to max_pool's output, computes the gradient with
/// respect to its input: all of it goes to the largest element of each window, the first of equals
/// in row-major order, and 0 to the others.
///
/// \param in      what max_pool was given, (N, C, H, W), device memory; read only
/// \param d_out   (N, C, H / 2, W / 2), rounded down, device memory; read only
/// \param d_in    (N, C, H, W), device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: d_in overlaps neither in nor d_out.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread a window, which it writes whole; blocks as max_pool's. Where a side is
/// odd, d_in is set to 0 before.
///
/// **Cost**: 9 elements a window (5 read, 4 written): 36 bytes of float; bandwidth is the limit.
///
/// **Source**: the derivative of the maximum.
void max_pool_backward(TensorView<const float> in, TensorView<const float> d_out,
                       TensorView<float> d_in, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void max_pool_backward(TensorView<const __half> in, TensorView<const __half> d_out,
                       TensorView<__half> d_in, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void max_pool_backward(TensorView<const __nv_bfloat16> in, TensorView<const __nv_bfloat16> d_out,
                       TensorView<__nv_bfloat16> d_in, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
