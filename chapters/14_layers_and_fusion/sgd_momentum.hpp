/// \file
/// One step of stochastic gradient descent.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "12_mixed_precision/loss_scale.hpp"

namespace tut::ch14 {

struct SgdOptions {
  float learning_rate;        ///< how far a step goes
  float momentum = 0.0f;      ///< how much of the last step is kept, from 0 to below 1
  float weight_decay = 0.0f;  ///< times the parameter, added to its gradient
};

/// One step of gradient descent with momentum and weight decay:
///
///     g             = gradient[i] + weight_decay * parameters[i]
///     velocity[i]   = momentum * velocity[i] + g
///     parameters[i] = parameters[i] - learning_rate * velocity[i]
///
/// \param parameters  device memory; updated
/// \param velocity    as long as `parameters`, device memory, 0 before the first step; updated
/// \param gradient    as long as `parameters`, device memory; read only
/// \param options     learning rate, momentum and weight decay
/// \param stream      stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another.
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: one thread for four parameters, or for one where vectors do not begin at multiples
/// of 16 bytes; blocks of 256. All tensors of a network that lie in one vector take one launch.
///
/// **Cost**: 20 bytes a parameter (12 read, 8 written); bandwidth is the limit.
///
/// **Source**: Sutskever, Martens, Dahl, Hinton, "On the importance of initialization and momentum
/// in deep learning" (2013), in the form without dampening that PyTorch's `torch.optim.SGD` has.
void sgd_momentum(std::span<float> parameters, std::span<float> velocity,
                  std::span<const float> gradient, const SgdOptions& options,
                  cudaStream_t stream = nullptr);

/// The same for a gradient that was multiplied by a loss scale: it is divided by that first. After
/// an overflow nothing changes.
///
/// \param scale  one LossScale in device memory, or null for none; read only
///
/// The other parameters, errors and source are those above.
void sgd_momentum(std::span<float> parameters, std::span<float> velocity,
                  std::span<const float> gradient, const SgdOptions& options,
                  const ch12::LossScale* scale, cudaStream_t stream = nullptr);

/// The same without weight decay.
inline void sgd_momentum(std::span<float> parameters, std::span<float> velocity,
                         std::span<const float> gradient, float learning_rate, float momentum,
                         cudaStream_t stream = nullptr) {
  sgd_momentum(parameters, velocity, gradient, SgdOptions{learning_rate, momentum}, stream);
}

}  // namespace tut::ch14
