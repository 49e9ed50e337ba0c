/// \file
/// Contract of the exercise lion: an optimiser that keeps one vector, in one pass.
#pragma once

#include <cuda_runtime.h>

#include <span>

namespace tut::ch14 {

struct LionOptions {
  float learning_rate = 1e-4f;
  float beta1 = 0.9f;         ///< how much of the momentum is in a step's direction
  float beta2 = 0.99f;        ///< how much of the momentum is kept
  float weight_decay = 0.0f;  ///< times learning rate and parameter, subtracted from it
};

/// One step of Lion, with the momentum as it was before the step in both lines:
///
///     parameters[i] = parameters[i] - learning_rate * (sign(beta1 * m[i]
///                     + (1 - beta1) * gradient[i]) + weight_decay * parameters[i])
///     m[i]          = beta2 * m[i] + (1 - beta2) * gradient[i]
///
/// sign(x) is 1 above 0, -1 below, and 0 at 0, however large, small or infinite x is; of a NaN it
/// may be any of these, or NaN. A NaN in gradient[i] or m[i] makes NaN of m[i], one in
/// parameters[i] of parameters[i], and neither of another element. What becomes of a parameter that
/// is infinite is left open. Each sum is right to 1e-6 of the largest of its terms; a term below
/// the smallest number of FP32 may count as 0.
///
/// \param parameters  device memory; updated
/// \param m           as long as `parameters`, device memory, 0 before the first step; updated
/// \param gradient    as long as `parameters`, device memory; read only
/// \param options     learning rate and the rest
/// \param stream      stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. At most 10⁹ parameters.
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: one thread a parameter, blocks of 256.
///
/// **Cost**: 20 bytes a parameter (12 read, 8 written); in two kernels, 28.
///
/// **Source**: Chen et al., "Symbolic discovery of optimization algorithms" (2023), algorithm 2.
void lion(std::span<float> parameters, std::span<float> m, std::span<const float> gradient,
          const LionOptions& options, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
