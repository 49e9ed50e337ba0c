/// \file
/// Contract of the exercise scan: the prefix sums of a whole array.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "08_reductions/stretches.hpp"

namespace tut::ch08 {

/// Ints of scratch memory that scan needs: one for each stretch.
constexpr std::size_t scan_scratch(std::size_t size) { return stretches(size); }

/// out[i] = in[0] + ... + in[i]: the inclusive prefix sums of an array that is longer than a block
/// can scan alone. Three launches at most, and none for an empty array.
///
/// In the worked solution the first launch adds up the stretches, a block for each; the second is
/// one block, which replaces the sum of each stretch by the sum of all stretches before it; the
/// third scans each stretch, beginning with that sum.
///
/// \param in       0 to 10⁹ elements, device memory; read only
/// \param scratch  scan_scratch(in.size()) ints of device memory at least; overwritten
/// \param out      as many elements as `in`, device memory; overwritten
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. The absolute values of all elements add up to at
/// most 2³¹ - 1, so that no sum of some of them leaves the range of int.
///
/// Errors: `std::invalid_argument` for different lengths, for in, out or scratch that is a null
/// pointer although there are elements, and for too little scratch memory; `tut::CudaError` if a
/// launch fails.
///
/// **Launch**: a block of 256 threads for each stretch, at most 2048; then one block; then a block
/// for each stretch again. 32 bytes of static shared memory.
///
/// **Cost**: 12n bytes, read twice and written once, 16 at a time where `in` and `out` begin at
/// multiples of 16, and about 100 for each stretch.
///
/// **Source**: G. E. Blelloch, *Prefix Sums and Their Applications*, 1990; D. Merrill, M. Garland,
/// *Single-pass Parallel Prefix Scan with Decoupled Look-back*, NVIDIA, 2016 ("reduce-then-scan").
void scan(std::span<const int> in, std::span<int> scratch, std::span<int> out,
          cudaStream_t stream = nullptr);

}  // namespace tut::ch08
