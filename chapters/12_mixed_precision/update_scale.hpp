/// \file
/// The loss scale after a step: larger after many good ones, smaller after an overflow. A worked
/// example of chapter 12.
#pragma once

#include <cuda_runtime.h>

#include "12_mixed_precision/loss_scale.hpp"

namespace tut::ch12 {

/// Ends a step: after an overflow scale * backoff, but not below the smallest, and one more skipped
/// step; after `interval` steps without one scale * growth, but not above the largest. Clears the
/// flag and starts to count again.
///
/// \param state   one LossScale in device memory; updated
/// \param policy  how the scale moves
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if `state` is null; `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread. The host need not know the flag, so it never waits for the device.
///
/// **Cost**: 40 bytes; starting a kernel is the limit.
///
/// **Source**: NVIDIA, "Train With Mixed Precision", section "Choosing A Scaling Factor".
void update_scale(LossScale* state, const LossScalePolicy& policy, cudaStream_t stream = nullptr);

}  // namespace tut::ch12
