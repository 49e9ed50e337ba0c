/// \file
/// Layer normalisation of rows, and its gradients.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch08 {

/// The longest row that layer_norm, rms_norm and their gradients take.
inline constexpr int LONGEST_NORM_ROW = 16384;

/// Every row gets mean 0 and variance 1, then a scale and a shift that are learnt:
///
///     out(i, j) = (in(i, j) - mean[i]) * inverse_deviation[i] * scale[j] + shift[j]
///     inverse_deviation[i] = 1 / sqrt(variance[i] + epsilon)
///
/// with the variance divided by N. The row stays in registers between its one read and its one
/// write. Its variance is the mean squared distance from the mean, which is known by then: unlike
/// the difference of two large numbers, that loses no digits where the mean is large.
///
/// \param in                 (M, N), row-major, device memory, stride >= N; read only; N <= 16384
/// \param scale              N values, device memory; read only
/// \param shift              N values, device memory; read only
/// \param out                (M, N), row-major, device memory, stride >= N; overwritten, its
///                           padding kept; not `in`, which the gradients need
/// \param mean               M values, device memory; overwritten
/// \param inverse_deviation  M values, device memory; overwritten
/// \param epsilon            added to the variance; above 0
/// \param stream             stream that the work is ordered in; the call returns before it is done
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: up to 1024 columns a warp for each row, blocks of (32, 8); then a block of 256
/// threads for each row.
///
/// **Cost**: about 8MN FLOPs; 8MN bytes and 8M for the statistics. Scale and shift are read again
/// for every row, 8MN bytes more that are asked for, which an L1 cache has after the first.
///
/// **Source**: Ba, Kiros, Hinton, "Layer normalization", 2016.
void layer_norm(MatrixView<const float> in, std::span<const float> scale,
                std::span<const float> shift, MatrixView<float> out, std::span<float> mean,
                std::span<float> inverse_deviation, float epsilon = 1e-5f,
                cudaStream_t stream = nullptr);

/// Blocks that share the rows of layer_norm_backward and rms_norm_backward: the sums over rows of
/// each stand in scratch memory before they are added up.
constexpr int norm_backward_blocks(int rows) {
  return std::min(rows, std::max(264, std::min(rows / 16, 1056)));
}

/// Floats of scratch memory that layer_norm_backward needs.
constexpr std::size_t layer_norm_backward_scratch(int rows, int cols) {
  return std::size_t{2} * static_cast<std::size_t>(norm_backward_blocks(rows)) *
         static_cast<std::size_t>(cols);
}

/// Given the gradient of a loss with respect to layer_norm's output, computes those with respect to
/// its input, scale and shift. With x' = (in - mean) * inverse_deviation and g = d_out * scale:
///
///     d_in(i, j) = inverse_deviation[i] * (g(i, j) - mean of g(i, :) - x'(i, j) * mean of (g
///     x')(i, :)) d_scale[j] = sum over i of d_out(i, j) * x'(i, j) d_shift[j] = sum over i of
///     d_out(i, j)
///
/// Both inputs are read once. A thread keeps the sums of its columns in shared memory, over all
/// rows of its block: nobody else touches them. Sums have an order that depends on the shape alone.
///
/// \param in                 what layer_norm was given; read only
/// \param d_out              (M, N), row-major, device memory, stride >= N; read only
/// \param scale              what layer_norm was given; read only
/// \param mean               what layer_norm has left there; read only
/// \param inverse_deviation  likewise
/// \param d_in               (M, N), row-major, device memory, stride >= N; overwritten, its
///                           padding kept; may be `d_out` itself
/// \param d_scale            N values, device memory; overwritten
/// \param d_shift            N values, device memory; overwritten
/// \param scratch            layer_norm_backward_scratch(M, N) floats of device memory at least;
///                           overwritten
/// \param stream             stream that the work is ordered in; the call returns before it is done
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if a launch fails, as
/// it does where a block cannot have 8N bytes of shared memory: above 8192 columns on compute
/// capability 7.5, above 12416 on 8.6 and 8.9.
///
/// **Launch**: norm_backward_blocks(M) blocks of 128 threads up to 1024 columns, 256 up to 4096,
/// then 512, with 8N bytes of dynamic shared memory; then blocks of (32, 32), one for each 32
/// columns of d_scale and d_shift.
///
/// **Cost**: about 14MN FLOPs; 12MN bytes, 8M for the statistics, and 16N for each block: its sums
/// are written and read. The scale is read again for every row, 4MN bytes more that are asked for.
///
/// **Source**: Ba, Kiros, Hinton, "Layer normalization", 2016, differentiated.
void layer_norm_backward(MatrixView<const float> in, MatrixView<const float> d_out,
                         std::span<const float> scale, std::span<const float> mean,
                         std::span<const float> inverse_deviation, MatrixView<float> d_in,
                         std::span<float> d_scale, std::span<float> d_shift,
                         std::span<float> scratch, cudaStream_t stream = nullptr);

}  // namespace tut::ch08
