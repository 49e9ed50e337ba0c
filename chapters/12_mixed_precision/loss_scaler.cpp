#include "12_mixed_precision/loss_scaler.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "12_mixed_precision/unscale_and_check.hpp"
#include "12_mixed_precision/update_scale.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch12 {
namespace {

void require_policy(const LossScalePolicy& p) {
  const bool ordered = 0 < p.smallest && p.smallest <= p.initial && p.initial <= p.largest;
  require(ordered && std::isfinite(p.largest),
          {"the loss scale starts at ", p.initial, ", between ", p.smallest, " and ", p.largest,
           "; expected 0 < smallest <= initial <= largest"});
  require(p.growth >= 1, {"the growth factor is ", p.growth, "; expected at least 1"});
  require(0 < p.backoff && p.backoff <= 1,
          {"the backoff factor is ", p.backoff, "; expected above 0, at most 1"});
  require(p.interval >= 1, {"the interval is ", p.interval, " steps; expected at least 1"});
}

}  // namespace

LossScaler::LossScaler(const LossScalePolicy& policy) : policy_(policy) {
  require_policy(policy);
  const LossScale start{policy.initial, 1.0f / policy.initial, 0, 0, 0};
  state_ = DeviceBuffer<LossScale>(std::vector<LossScale>{start});
}

void LossScaler::unscale(std::span<const float> gradient, std::span<float> out,
                         cudaStream_t stream) {
  unscale_and_check(gradient, out, state_.data(), stream);
}

void LossScaler::unscale(std::span<const half> gradient, std::span<float> out,
                         cudaStream_t stream) {
  unscale_and_check(gradient, out, state_.data(), stream);
}

void LossScaler::update(cudaStream_t stream) { update_scale(state_.data(), policy_, stream); }

LossScale LossScaler::read(cudaStream_t stream) const { return state_.to_host(stream)[0]; }

void LossScaler::restore(float scale, int good_steps, int skipped_steps, cudaStream_t stream) {
  require(std::isfinite(scale) && scale > 0 && good_steps >= 0 && skipped_steps >= 0,
          {"the loss scale is ", scale, " after ", good_steps, " good and ", skipped_steps,
           " skipped steps; expected a scale above 0 and counts of at least 0"});
  const std::vector<LossScale> state{{scale, 1.0f / scale, 0, good_steps, skipped_steps}};
  state_.copy_from(state, stream);
}

}  // namespace tut::ch12
