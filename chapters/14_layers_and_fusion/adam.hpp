/// \file
/// One step of Adam, or of AdamW.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "12_mixed_precision/loss_scale.hpp"

namespace tut::ch14 {

struct AdamOptions {
  float learning_rate = 1e-3f;
  float beta1 = 0.9f;         ///< how much of the mean gradient is kept, from 0 to below 1
  float beta2 = 0.999f;       ///< how much of the mean square is kept, from 0 to below 1
  float epsilon = 1e-8f;      ///< added to the root of the mean square
  float weight_decay = 0.0f;  ///< times learning rate and parameter, subtracted from it (AdamW)
};

/// One step of Adam, step number t = 1, 2, ...:
///
///     m[i]          = beta1 * m[i] + (1 - beta1) * gradient[i]
///     v[i]          = beta2 * v[i] + (1 - beta2) * gradient[i]^2
///     m', v'        = m[i] / (1 - beta1^t), v[i] / (1 - beta2^t)
///     parameters[i] = parameters[i] - learning_rate * weight_decay * parameters[i]
///                                   - learning_rate * m' / (sqrt(v') + epsilon)
///
/// \param parameters  device memory; updated
/// \param m           as long as `parameters`, device memory, 0 before the first step; updated
/// \param v           as long as `parameters`, device memory, 0 before the first step; updated
/// \param gradient    as long as `parameters`, device memory; read only
/// \param step        t, at least 1
/// \param options     learning rate and the rest
/// \param stream      stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another.
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0, or if step is below 1;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread for four parameters, or for one where vectors do not begin at multiples
/// of 16 bytes; blocks of 256. All tensors of a network that lie in one vector take one launch.
///
/// **Cost**: 28 bytes a parameter (16 read, 12 written); bandwidth is the limit.
///
/// **Source**: Kingma and Ba, "Adam: a method for stochastic optimization" (2015), algorithm 1;
/// Loshchilov and Hutter, "Decoupled weight decay regularization" (2019), for the weight decay.
void adam(std::span<float> parameters, std::span<float> m, std::span<float> v,
          std::span<const float> gradient, int step, const AdamOptions& options,
          cudaStream_t stream = nullptr);

/// The same for a gradient that was multiplied by a loss scale: it is divided by that first. After
/// an overflow nothing changes, though `step` counts on.
///
/// \param scale  one LossScale in device memory, or null for none; read only
///
/// The other parameters, errors and source are those above.
void adam(std::span<float> parameters, std::span<float> m, std::span<float> v,
          std::span<const float> gradient, int step, const AdamOptions& options,
          const ch12::LossScale* scale, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
