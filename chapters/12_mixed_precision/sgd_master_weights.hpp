/// \file
/// A step on FP32 master weights that an overflow skips, and their FP16 copy: a worked example of
/// chapter 12.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <span>

#include "12_mixed_precision/loss_scale.hpp"

namespace tut::ch12 {

/// Unless state->overflow is set, one step of gradient descent with momentum, all in FP32, and the
/// new weights rounded to FP16:
///
///     velocity[i] = momentum * velocity[i] + gradient[i]
///     weights[i]  = weights[i] - learning_rate * velocity[i]
///     copy[i]     = weights[i]
///
/// After an overflow nothing changes. The flag stays: update_scale ends the step.
///
/// \param weights        the master weights, device memory; updated
/// \param velocity       as long, device memory, 0 before the first step; updated
/// \param gradient       as long, unscaled, device memory; read only
/// \param copy           as long, or empty, device memory; overwritten
/// \param state          one LossScale in device memory; read only
/// \param learning_rate  how far a step goes
/// \param momentum       how much of the last step is kept, from 0 to below 1
/// \param stream         stream that the work is ordered in; the call returns before the work is
///                       done
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0, or `state` is null;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread a weight, blocks of 256.
///
/// **Cost**: 22 bytes a weight (12 read, 10 written), 20 without the copy; bandwidth is the limit.
///
/// **Source**: P. Micikevicius et al., "Mixed Precision Training", ICLR 2018.
void sgd_master_weights(std::span<float> weights, std::span<float> velocity,
                        std::span<const float> gradient, std::span<half> copy,
                        const LossScale* state, float learning_rate, float momentum,
                        cudaStream_t stream = nullptr);

}  // namespace tut::ch12
