/// \file
/// Loss scaling for a training loop, without a wait for the device.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <span>

#include "12_mixed_precision/loss_scale.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch12 {

/// Owns a LossScale in device memory. Move-only. One step of training, all of it in one stream:
///
///     // forward and backward: the gradient of the loss is multiplied by *scaler.scale(), on the
///     // device, so that every gradient behind it is
///     scaler.unscale(gradient, unscaled, stream);   // once for each buffer of gradients
///     sgd_master_weights(weights, velocity, unscaled, copy, scaler.state(), ..., stream);
///     scaler.update(stream);
///
/// A step with an infinite or NaN gradient leaves the weights as they were. Which steps these are
/// is decided on the device: nothing here waits but read().
class LossScaler {
 public:
  /// Errors: `std::invalid_argument` unless 0 < smallest <= initial <= largest, growth >= 1,
  /// 0 < backoff <= 1 and interval >= 1; CudaError.
  explicit LossScaler(const LossScalePolicy& policy = {});

  const LossScalePolicy& policy() const noexcept { return policy_; }
  /// In device memory: what the gradient of the loss is to be multiplied by.
  const float* scale() const noexcept { return &state_.data()->scale; }
  /// In device memory: for kernels that skip, or unscale by themselves.
  const LossScale* state() const noexcept { return state_.data(); }

  /// unscale_and_check with this state.
  void unscale(std::span<const float> gradient, std::span<float> out,
               cudaStream_t stream = nullptr);
  void unscale(std::span<const half> gradient, std::span<float> out, cudaStream_t stream = nullptr);
  /// Only looks for infinity and NaN: for optimisers that unscale by themselves.
  void check(std::span<const float> gradient, cudaStream_t stream = nullptr) {
    unscale(gradient, {}, stream);
  }
  /// Ends the step: update_scale with this state.
  void update(cudaStream_t stream = nullptr);

  /// The state once `stream` has reached this point: for reports, not for a step.
  LossScale read(cudaStream_t stream = nullptr) const;
  /// Goes on from what an earlier read gave.
  /// Errors: `std::invalid_argument` unless the scale is finite and above 0 and the counts are not
  /// negative.
  void restore(float scale, int good_steps, int skipped_steps, cudaStream_t stream = nullptr);

 private:
  LossScalePolicy policy_;
  DeviceBuffer<LossScale> state_;
};

}  // namespace tut::ch12
