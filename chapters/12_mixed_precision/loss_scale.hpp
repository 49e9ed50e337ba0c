/// \file
/// The state of loss scaling, which lives in device memory, and the rules it follows.
#pragma once

namespace tut::ch12 {

//! [state]
/// Device memory of a LossScaler: every kernel of a step reads or writes it, the host need not.
struct LossScale {
  float scale;        ///< what the loss, and so every gradient, is multiplied by
  float inverse;      ///< 1 / scale, exact if scale is a power of two
  int overflow;       ///< not 0: a gradient of this step is infinite or NaN, so skip it
  int good_steps;     ///< without overflow since the scale last changed
  int skipped_steps;  ///< in all
};
//! [state]

/// How the scale moves. Powers of two change no bit of a significand.
struct LossScalePolicy {
  float initial = 65536.0f;
  float growth = 2.0f;   ///< after `interval` steps without overflow; 1: never
  float backoff = 0.5f;  ///< after an overflow; 1: never
  int interval = 2000;
  float smallest = 1.0f, largest = 16777216.0f;

  /// A scale that stays. Steps that overflow are skipped all the same.
  static constexpr LossScalePolicy fixed(float scale) {
    return {scale, 1.0f, 1.0f, 1, scale, scale};
  }
};

}  // namespace tut::ch12
