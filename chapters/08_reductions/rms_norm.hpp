/// \file
/// RMS normalisation of rows, and its gradients: layer normalisation without mean and shift.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "08_reductions/layer_norm.hpp"

namespace tut::ch08 {

/// Every row is divided by its root mean square, then scaled by what is learnt:
///
///     out(i, j) = in(i, j) * inverse_rms[i] * scale[j]
///     inverse_rms[i] = 1 / sqrt(mean of in(i, :)^2 + epsilon)
///
/// \param in           (M, N), row-major, device memory, stride >= N; read only; N <= 16384
/// \param scale        N values, device memory; read only
/// \param out          (M, N), row-major, device memory, stride >= N; overwritten, its padding
///                     kept; not `in`, which the gradients need
/// \param inverse_rms  M values, device memory; overwritten
/// \param epsilon      added to the mean square; above 0
/// \param stream       stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: that of layer_norm.
///
/// **Cost**: about 4MN FLOPs; 8MN bytes and 4M. The scale is read again for every row, 4MN bytes
/// more that are asked for, which an L1 cache has after the first.
///
/// **Source**: B. Zhang and R. Sennrich, "Root mean square layer normalization", 2019.
void rms_norm(MatrixView<const float> in, std::span<const float> scale, MatrixView<float> out,
              std::span<float> inverse_rms, float epsilon = 1e-5f, cudaStream_t stream = nullptr);

/// Floats of scratch memory that rms_norm_backward needs.
constexpr std::size_t rms_norm_backward_scratch(int rows, int cols) {
  return layer_norm_backward_scratch(rows, cols) / 2;
}

/// The gradients with respect to rms_norm's input and scale. With x' = in * inverse_rms and
/// g = d_out * scale:
///
///     d_in(i, j) = inverse_rms[i] * (g(i, j) - x'(i, j) * mean of (g x')(i, :))
///     d_scale[j] = sum over i of d_out(i, j) * x'(i, j)
///
/// \param in           what rms_norm was given; read only
/// \param d_out        (M, N), row-major, device memory, stride >= N; read only
/// \param scale        what rms_norm was given; read only
/// \param inverse_rms  what rms_norm has left there; read only
/// \param d_in         (M, N), row-major, device memory, stride >= N; overwritten, its padding
///                     kept; may be `d_out` itself
/// \param d_scale      N values, device memory; overwritten
/// \param scratch      rms_norm_backward_scratch(M, N) floats of device memory at least;
///                     overwritten
/// \param stream       stream that the work is ordered in; the call returns before the work is
///                     done
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if a launch fails.
///
/// **Launch**: that of layer_norm_backward, with half the shared memory.
///
/// **Cost**: about 10MN FLOPs; 12MN bytes, 4M for the statistics, and 8N for each block.
///
/// **Source**: as rms_norm, differentiated.
void rms_norm_backward(MatrixView<const float> in, MatrixView<const float> d_out,
                       std::span<const float> scale, std::span<const float> inverse_rms,
                       MatrixView<float> d_in, std::span<float> d_scale, std::span<float> scratch,
                       cudaStream_t stream = nullptr);

}  // namespace tut::ch08
