/// \file
/// The largest element and its place.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "08_reductions/stretches.hpp"

namespace tut::ch08 {

/// An element and its index.
struct ArgMax {
  float value;
  std::int64_t index;
};

/// Elements of scratch memory that argmax needs.
constexpr std::size_t argmax_scratch(std::size_t size) { return stretches(size); }

/// The largest element of `in`, and the first index that it stands at. A NaN counts as larger than
/// every number, so the first NaN is found if there is one, as NumPy's argmax does. 0 and -0 are
/// equal.
///
/// \param in       at least one element, device memory; read only
/// \param scratch  argmax_scratch(in.size()) elements of device memory at least; overwritten
/// \param out      one element of device memory; overwritten
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another.
///
/// Errors: `std::invalid_argument` for an empty input, null pointers and too little scratch memory;
/// `tut::CudaError` if a launch fails.
///
/// **Launch**: a block of 256 threads for each stretch, at most 2048, then one block; 128 bytes of
/// static shared memory.
///
/// **Cost**: n - 1 comparisons; 4n bytes read, and 32 for each stretch.
///
/// **Source**: as sum_vectorized.
void argmax(std::span<const float> in, std::span<ArgMax> scratch, ArgMax* out,
            cudaStream_t stream = nullptr);

}  // namespace tut::ch08
