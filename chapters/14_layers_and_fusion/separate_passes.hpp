/// \file
/// What the fused kernels of this chapter do, an operation a kernel, as a framework that fuses
/// nothing would: for comparison.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "14_layers_and_fusion/adam.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch14 {

/// probabilities(n, j) = exp(scores(n, j)) / sum over k of exp(scores(n, k)), each row's largest
/// score subtracted first. At most 256 classes; rows without gaps.
///
/// **Launch**: as softmax_cross_entropy. **Cost**: 8 bytes a score.
void softmax(MatrixView<const float> scores, MatrixView<float> probabilities,
             cudaStream_t stream = nullptr);

/// losses[n] = -log(probabilities(n, labels[n])): infinity where a probability has underflowed to
/// 0, which softmax_cross_entropy avoids.
///
/// **Launch**: a thread a row, blocks of 256. **Cost**: 9 bytes a row, but a whole sector of 32 for
/// each probability.
void cross_entropy(MatrixView<const float> probabilities, std::span<const std::uint8_t> labels,
                   std::span<float> losses, cudaStream_t stream = nullptr);

/// d_scores(n, j) = (probabilities(n, j) - (1 if j = labels[n], otherwise 0)) / N.
///
/// **Launch**: a thread a score, blocks of 256. **Cost**: 8 bytes a score, and the labels.
void cross_entropy_backward(MatrixView<const float> probabilities,
                            std::span<const std::uint8_t> labels, MatrixView<float> d_scores,
                            cudaStream_t stream = nullptr);

/// y[i] = a * x[i] + b * y[i].
///
/// **Launch**: as relu. **Cost**: 12 bytes an element.
void add_scaled(float a, std::span<const float> x, float b, std::span<float> y,
                cudaStream_t stream = nullptr);

/// y[i] = a * x[i]^2 + b * y[i].
///
/// **Launch**: as relu. **Cost**: 12 bytes an element.
void add_scaled_square(float a, std::span<const float> x, float b, std::span<float> y,
                       cudaStream_t stream = nullptr);

/// parameters[i] -= step_size * m[i] / (sqrt(v[i] * v_correction) + epsilon).
///
/// **Launch**: as relu. **Cost**: 16 bytes an element.
void adam_update(std::span<float> parameters, std::span<const float> m, std::span<const float> v,
                 float step_size, float v_correction, float epsilon, cudaStream_t stream = nullptr);

/// sgd_momentum in two passes (add_scaled twice): 24 bytes a parameter instead of 20.
void sgd_momentum_in_passes(std::span<float> parameters, std::span<float> velocity,
                            std::span<const float> gradient, float learning_rate, float momentum,
                            cudaStream_t stream = nullptr);

/// adam without weight decay in three passes: 40 bytes a parameter instead of 28.
void adam_in_passes(std::span<float> parameters, std::span<float> m, std::span<float> v,
                    std::span<const float> gradient, int step, const AdamOptions& options,
                    cudaStream_t stream = nullptr);

/// softmax_cross_entropy in three passes, through `probabilities` (N, classes).
void softmax_cross_entropy_in_passes(MatrixView<const float> scores,
                                     std::span<const std::uint8_t> labels,
                                     MatrixView<float> probabilities, std::span<float> losses,
                                     MatrixView<float> d_scores, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
