/// \file
/// Batch normalisation: training, inference and gradients.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/tensor_view.hpp"

namespace tut::ch14 {

/// What batch normalisation keeps for each channel, (C) each, device memory.
struct BatchNormState {
  float* running_mean;       ///< of the batches so far; 0 before the first
  float* running_variance;   ///< of the batches so far, unbiased; 1 before the first
  float* mean;               ///< of the last batch, for the backward pass
  float* inverse_deviation;  ///< 1 / sqrt(variance + epsilon) of the last batch, likewise
};

struct BatchNormOptions {
  float epsilon = 1e-5f;  ///< added to the variance
  float momentum = 0.1f;  ///< weight of the last batch in the running statistics
};

/// Training: every channel of a batch gets mean 0 and variance 1, then a scale and a shift that are
/// learnt:
///
///     out(n, c, y, x) = scale[c] * (in(n, c, y, x) - mean[c]) * inverse_deviation[c] + shift[c]
///     running         = (1 - momentum) * running + momentum * (mean; variance with M - 1)
///
/// with mean and variance (divided by M = NHW) of channel c over this batch. Sums are added in an
/// order that depends on the shape alone, and on whether tensors begin at multiples of 16 bytes.
///
/// \param in       (N, C, H, W), device memory; read only; at least two values a channel
/// \param scale    (C), device memory; read only
/// \param shift    (C), device memory; read only
/// \param state    overwritten, the running statistics updated
/// \param out      (N, C, H, W), device memory; overwritten; not `in`, which the backward pass
///                 needs
/// \param options  epsilon and momentum
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if a launch fails.
///
/// **Launch**: statistics: a block of 256 a channel; then a warp a plane, blocks of 256. 16 bytes
/// an access, where all planes begin at such multiples.
///
/// **Cost**: 16 bytes an element: 8 read for mean and variance (one after the other: the difference
/// of two large sums would lose digits), 4 read and 4 written to normalise.
///
/// **Source**: Ioffe and Szegedy, "Batch normalization" (2015), algorithm 1; the running statistics
/// as in PyTorch's `torch.nn.BatchNorm2d`.
void batch_norm(TensorView<const float> in, const float* scale, const float* shift,
                const BatchNormState& state, TensorView<float> out,
                const BatchNormOptions& options = {}, cudaStream_t stream = nullptr);

/// Inference: the same with the running statistics in place of the batch's.
///
/// \param state  only its running statistics are used; read only
/// \param out    (N, C, H, W), device memory; overwritten; may be `in` itself
///
/// The other parameters, errors and source are those of batch_norm.
///
/// **Launch**: a warp a plane, blocks of 256, accesses likewise.
///
/// **Cost**: 8 bytes an element.
void batch_norm_inference(TensorView<const float> in, const float* scale, const float* shift,
                          const BatchNormState& state, TensorView<float> out,
                          const BatchNormOptions& options = {}, cudaStream_t stream = nullptr);

/// Given the gradient of a loss with respect to batch_norm's output, computes those with respect to
/// its input, scale and shift. With x' = (in - mean) * inverse_deviation, sums over n, y, x:
///
///     d_shift[c] = sum of d_out
///     d_scale[c] = sum of d_out * x'
///     d_in       = scale[c] * inverse_deviation[c]
///                  * (d_out - d_shift[c] / M - x' * d_scale[c] / M)
///
/// \param in       what batch_norm was given, (N, C, H, W), device memory; read only
/// \param d_out    (N, C, H, W), device memory; read only
/// \param scale    (C), device memory; read only
/// \param state    what batch_norm left there; read only
/// \param d_in     (N, C, H, W), device memory; overwritten; may be `d_out` itself
/// \param d_scale  (C), device memory; overwritten
/// \param d_shift  (C), device memory; overwritten
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if a launch fails.
///
/// **Launch**: sums: a block of 256 a channel; then a warp a plane, blocks of 256, accesses
/// likewise.
///
/// **Cost**: 20 bytes an element: 8 read for the sums, 8 read and 4 written for d_in.
///
/// **Source**: Ioffe and Szegedy, "Batch normalization" (2015), section 3.
void batch_norm_backward(TensorView<const float> in, TensorView<const float> d_out,
                         const float* scale, const BatchNormState& state, TensorView<float> d_in,
                         float* d_scale, float* d_shift, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
