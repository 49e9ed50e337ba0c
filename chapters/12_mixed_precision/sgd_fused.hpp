/// \file
/// Contract of the exercise sgd_fused: a step from FP16 gradients that are still scaled.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <span>

#include "12_mixed_precision/loss_scale.hpp"

namespace tut::ch12 {

/// unscale_and_check and sgd_master_weights write the unscaled gradient to memory and read it
/// again: 8 bytes a weight. Here the gradient was only checked (unscale_and_check without output),
/// and the step unscales it, in one launch. Unless state->overflow is set, all in FP32:
///
///     g           = gradient[i] * state->inverse
///     velocity[i] = momentum * velocity[i] + g
///     weights[i]  = weights[i] - learning_rate * velocity[i]
///     copy[i]     = weights[i]
///
/// Infinities and NaN are computed with as IEEE 754 has it, a gradient's too, and a velocity beyond
/// the largest float is infinite.
/// The copy of a weight that rounds beyond the largest half is infinity. After an overflow nothing
/// changes, whatever the gradient holds.
///
/// \param weights        the master weights, device memory; updated
/// \param velocity       as long, device memory, 0 before the first step; updated
/// \param gradient       as long, multiplied by state->scale, device memory; read only
/// \param copy           as long, device memory; overwritten
/// \param state          one LossScale in device memory; read only
/// \param learning_rate  how far a step goes
/// \param momentum       how much of the last step is kept, from 0 to below 1
/// \param stream         stream that the work is ordered in; the call returns before the work is
///                       done
///
/// Preconditions: no two of these overlap. There are at most 10^9 weights.
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0, or `state` is null;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread a weight, blocks of 256.
///
/// **Cost**: 20 bytes a weight (10 read, 10 written) and the state, which every warp reads: 4 bytes
/// of it twice, 64 bytes a warp. Bandwidth is the limit.
///
/// **Source**: P. Micikevicius et al., "Mixed Precision Training", ICLR 2018.
void sgd_fused(std::span<float> weights, std::span<float> velocity, std::span<const half> gradient,
               std::span<half> copy, const LossScale* state, float learning_rate, float momentum,
               cudaStream_t stream = nullptr);

}  // namespace tut::ch12
