/// \file
/// Gradients divided by the loss scale, and looked at for infinities and NaN, in one pass: a worked
/// example of chapter 12.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <span>

#include "12_mixed_precision/loss_scale.hpp"

namespace tut::ch12 {

/// out[i] = gradient[i] * state->inverse in FP32, and state->overflow = 1 if any of these is
/// infinite or NaN. A flag that is set already stays.
///
/// \param gradient  device memory; read only
/// \param out       as long as `gradient`, device memory; overwritten. May be `gradient` itself if
///                  that is float, or empty: then gradients are only checked
/// \param state     one LossScale in device memory; `overflow` may be set
/// \param stream    stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps gradient entirely or not at all, and state with neither.
///
/// Errors: `std::invalid_argument` if the lengths differ, `gradient` is empty or `state` null;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread for four elements, blocks of 256.
///
/// **Cost**: 8 bytes a float, 6 a half; bandwidth is the limit. Loads and stores of four elements
/// at a time where the addresses allow.
///
/// **Source**: P. Micikevicius et al., "Mixed Precision Training", ICLR 2018.
void unscale_and_check(std::span<const float> gradient, std::span<float> out, LossScale* state,
                       cudaStream_t stream = nullptr);
void unscale_and_check(std::span<const half> gradient, std::span<float> out, LossScale* state,
                       cudaStream_t stream = nullptr);

}  // namespace tut::ch12
