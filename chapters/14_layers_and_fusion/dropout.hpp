/// \file
/// Dropout with a mask that is never stored.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "14_layers_and_fusion/philox.hpp"
#include "tut/numeric/tf32.hpp"

namespace tut::ch14 {

/// Names a mask. The same options give the same mask: in the forward pass, in the backward pass,
/// and in a run that is resumed.
struct DropoutOptions {
  float probability = 0.5f;  ///< with which an element is dropped, from 0 to below 1
  std::uint64_t seed = 0;    ///< of the run
  std::uint64_t step = 0;    ///< of the training and the layer: each has its own mask
};

/// The random words of a mask: four of them belong to four elements a block's width apart, so that
/// neighbouring threads, with four elements each, have neighbouring elements.
struct DropoutLayout {
  static constexpr int THREADS = 256, EACH = 4;

  /// Element number `word` of the four of thread `index` of the whole grid.
  static constexpr std::uint64_t element(std::uint64_t index, int word) {
    return index / THREADS * THREADS * EACH + static_cast<std::uint64_t>(word) * THREADS +
           index % THREADS;
  }
};

/// Words below this are dropped.
constexpr std::uint32_t dropout_threshold(float probability) {
  return static_cast<std::uint32_t>(static_cast<double>(probability) * 4294967296.0);
}

/// out[i] = in[i] / (1 - probability) where the mask keeps element i, and 0 where it drops it. The
/// mask is a function of seed, step and i alone. Given the gradient with respect to the output, the
/// same call computes the gradient with respect to the input.
///
/// \param in       device memory; read only
/// \param out      as long as `in`, device memory; overwritten; may be `in` itself
/// \param options  which mask
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0, or if the probability is not in
/// [0, 1); `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread for four elements, blocks of 256.
///
/// **Cost**: 2 elements moved for each, 8 bytes of float, and about 20 integer operations; no mask
/// is read or written.
///
/// **Source**: Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov, "Dropout: a simple way to
/// prevent neural networks from overfitting" (2014), scaled in training.
void dropout(std::span<const float> in, std::span<float> out, const DropoutOptions& options,
             cudaStream_t stream = nullptr);
/// The same for this type of elements.
void dropout(std::span<const __half> in, std::span<__half> out, const DropoutOptions& options,
             cudaStream_t stream = nullptr);
/// The same for this type of elements.
void dropout(std::span<const __nv_bfloat16> in, std::span<__nv_bfloat16> out,
             const DropoutOptions& options, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void dropout(std::span<const Tf32> in, std::span<Tf32> out, const DropoutOptions& options,
             cudaStream_t stream = nullptr);

}  // namespace tut::ch14
