/// \file
/// Contract of the exercise sgd_scheduled: a step that knows by itself which step it is.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

namespace tut::ch16 {

/// A learning rate that rises along a line in the first `warmup` steps and then falls along half a
/// wave, to 0 after the last.
struct WarmupCosine {
  float peak = 0.02f;        ///< above 0, at most 10⁹
  std::uint32_t warmup = 0;  ///< steps, below `steps`
  std::uint32_t steps = 1;   ///< of the whole run, at least 1
};

/// One step of stochastic gradient descent with momentum, number t = *step, from 0:
///
///     rate          = peak * (t + 1) / (warmup + 1)                              if t < warmup
///                   = peak / 2 * (1 + cos(pi * (t - warmup) / (steps - warmup))) if t < steps
///                   = 0                                                          otherwise
///     velocity[i]   = momentum * velocity[i] + gradient[i]
///     parameters[i] = parameters[i] - rate * velocity[i]
///     *step         = t + 1, once all parameters have been updated
///
/// No argument says which step it is, so the call may be recorded into a CUDA graph once and
/// replayed for every step of a run. The rate is right to 1e-6 of peak, and each sum to 1e-6 of the
/// larger of its terms. Where the rate is below 1e-6 of peak, as after the last step, what an
/// infinite or NaN velocity makes of its parameter is left open.
///
/// \param parameters  device memory; updated
/// \param velocity    as long as `parameters`, device memory; read in every step, also the first,
///                    before which the caller sets it to 0; updated
/// \param gradient    as long as `parameters`, device memory; read only
/// \param schedule    the learning rate over the run
/// \param momentum    how much of the last step is kept, from 0 to below 1
/// \param step        one number in device memory: steps done so far; becomes one more
/// \param stream      stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. At most 10⁹ parameters. *step is below 2^32 - 1.
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0, `step` is null, peak is not
/// above 0 or warmup not below steps; `tut::CudaError` if a launch fails.
///
/// **Launch**: one thread a parameter, blocks of 256; then one thread, for the counter.
///
/// **Cost**: 20 bytes a parameter (12 read, 8 written), and a sector of 32 for each block, which
/// reads the counter. Each warp may read it for itself: a cache holds it.
///
/// **Source**: Loshchilov, Hutter, "SGDR: stochastic gradient descent with warm restarts" (2017),
/// equation 5, one period; warm-up as Goyal et al., "Accurate, large minibatch SGD" (2017),
/// section 2.2.
void sgd_scheduled(std::span<float> parameters, std::span<float> velocity,
                   std::span<const float> gradient, const WarmupCosine& schedule, float momentum,
                   std::uint32_t* step, cudaStream_t stream = nullptr);

}  // namespace tut::ch16
