/// \file
/// The worked example of loss scaling: a model whose gradients are too small for FP16.
#pragma once

#include "12_mixed_precision/loss_scale.hpp"

namespace tut::ch12 {

/// How a training ended.
struct ScaledTraining {
  double residual;  ///< |Xw - y| / |y|: 1 if nothing was learnt
  LossScale scale;
};

/// Fits 16 weights to 64 targets of about 10^-8 (lengths in metres, say) by gradient descent. The
/// gradients are stored in FP16, the master weights in FP32. Without scaling every gradient is
/// below 2^-25, and so 0. The host waits once, at the end.
ScaledTraining train_with_half_gradients(const LossScalePolicy& policy, int steps);

}  // namespace tut::ch12
