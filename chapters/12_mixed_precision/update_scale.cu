#include "12_mixed_precision/update_scale.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch12 {
namespace {

__global__ void update_scale_kernel(LossScale* state, LossScalePolicy policy) {
  //! [update]
  LossScale s = *state;
  if (s.overflow != 0) {
    s.scale = fmaxf(s.scale * policy.backoff, policy.smallest);
    s.good_steps = 0;
    ++s.skipped_steps;
  } else if (++s.good_steps >= policy.interval) {
    s.scale = fminf(s.scale * policy.growth, policy.largest);
    s.good_steps = 0;
  }
  s.inverse = 1.0f / s.scale;
  s.overflow = 0;
  *state = s;
  //! [update]
}

}  // namespace

void update_scale(LossScale* state, const LossScalePolicy& policy, cudaStream_t stream) {
  require(state != nullptr, "the state of the loss scale is a null pointer");
  update_scale_kernel<<<1, 1, 0, stream>>>(state, policy);
  check_launch();
}

}  // namespace tut::ch12
