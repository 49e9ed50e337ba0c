/// \file
/// One step of stochastic gradient descent.
#pragma once

#include <cuda_runtime.h>

#include <span>

namespace tut::ch14 {

/// One step of gradient descent with momentum:
///
///     velocity[i]   = momentum * velocity[i] + gradient[i]
///     parameters[i] = parameters[i] - learning_rate * velocity[i]
///
/// \param parameters     device memory; updated
/// \param velocity       as long as `parameters`, device memory, 0 before the first step; updated
/// \param gradient       as long as `parameters`, device memory; read only
/// \param learning_rate  how far a step goes
/// \param momentum       how much of the last step is kept, from 0 to below 1
/// \param stream         stream that the work is ordered in; the call returns before the work is
/// done
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: one thread a parameter, blocks of 256.
///
/// **Cost**: 20 bytes a parameter (12 read, 8 written); bandwidth is the limit.
///
/// **Source**: Sutskever, Martens, Dahl, Hinton, "On the importance of initialization and momentum
/// in deep learning" (2013), in the form without dampening.
void sgd_momentum(std::span<float> parameters, std::span<float> velocity,
                  std::span<const float> gradient, float learning_rate, float momentum,
                  cudaStream_t stream = nullptr);

}  // namespace tut::ch14
