/// \file
/// Gradients of several batches, added up to that of one large batch.
#pragma once

#include <cuda_runtime.h>

#include <span>

namespace tut::ch16 {

/// sum[i] = (first ? 0 : sum[i]) + weight * part[i].
///
/// \param part    device memory; read only
/// \param weight  the part's share of the whole
/// \param first   whether this part begins the sum
/// \param sum     as long as `part`, device memory; updated
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: as ch14::relu.
///
/// **Cost**: 12 bytes an element, 8 of the first part; bandwidth is the limit.
///
/// **Source**: the gradient of a mean is the mean of the gradients.
void add_weighted(std::span<const float> part, float weight, bool first, std::span<float> sum,
                  cudaStream_t stream = nullptr);

}  // namespace tut::ch16
