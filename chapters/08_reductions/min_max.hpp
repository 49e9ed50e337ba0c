/// \file
/// Contract of the exercise min_max: the smallest and the largest element in one pass.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "08_reductions/stretches.hpp"

namespace tut::ch08 {

struct MinMax {
  float smallest, largest;
};

/// Floats of scratch memory that min_max needs: a smallest element for each stretch, then a
/// largest.
constexpr std::size_t min_max_scratch(std::size_t size) { return 2 * stretches(size); }

/// The smallest and the largest element of `in`, read once for both, in two launches at most. If
/// there is a NaN, both are NaN. Of 0 and -0 either may be found.
///
/// fminf and fmaxf do not do: of a number and a NaN they return the number.
///
/// \param in       1 to 10⁹ elements, device memory; read only
/// \param scratch  min_max_scratch(in.size()) floats of device memory at least; overwritten
/// \param out      one element of device memory; overwritten
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another.
///
/// Errors: `std::invalid_argument` for an empty input, for in or out that is a null pointer and for
/// too little scratch memory; `tut::CudaError` if a launch fails.
///
/// **Launch**: a block of 256 threads for each stretch, at most 2048, then one block.
///
/// **Cost**: 2n comparisons; 4n bytes read, 16 at a time where `in` begins at a multiple of 16, and
/// about 100 for each stretch.
///
/// **Source**: as sum_vectorized.
void min_max(std::span<const float> in, std::span<float> scratch, MinMax* out,
             cudaStream_t stream = nullptr);

}  // namespace tut::ch08
