/// \file
/// Contract of the exercise dropout_add: dropout and the sum with a shortcut in one pass.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "14_layers_and_fusion/dropout.hpp"

namespace tut::ch14 {

/// out[i] = residual[i] + factor * in[i], where factor is 1 / (1 - probability) if the mask keeps
/// element i, and 0 if it drops it: the end of a block of a transformer or of a residual network.
/// The mask is dropout's: word k of random_words(seed, step, index) belongs to element
/// DropoutLayout::element(index, k), which is dropped if the word is below
/// dropout_threshold(probability). Where an element that is dropped is infinite or NaN, its sum may
/// be NaN or the residual. Each sum is right to 1e-6 of the larger of its terms.
///
/// \param in        device memory; read only
/// \param residual  as long as `in`, device memory; read only
/// \param out       as long as `in`, device memory; overwritten; may be `in` or `residual` itself
/// \param options   which mask
/// \param stream    stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: at most 10⁹ elements.
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0, or if the probability is not in
/// [0, 1); `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread for four elements; grid ⌈size/1024⌉, block 256.
///
/// **Cost**: 12 bytes an element (8 read, 4 written); dropout and a sum after it would move 20.
///
/// **Source**: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
void dropout_add(std::span<const float> in, std::span<const float> residual, std::span<float> out,
                 const DropoutOptions& options, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
