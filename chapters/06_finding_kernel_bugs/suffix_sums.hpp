/// \file
/// Contract of the exercise suffix_sums: sums from each element to the end of its block.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch06 {

/// Within each 256 elements, replaces every value by the sum of it and all that follow: out[i] is
/// the sum of x[i] to the last element of its block, 256 ⌊i/256⌋ + 255 or n - 1.
///
/// Applied to a histogram, it tells for each bin how many values lie in it or in a higher one.
///
/// All in one launch, and none for n = 0. In the worked solution each thread adds, in log2(256) = 8
/// rounds, the sum that stands 1, 2, 4, ... places to its right.
///
/// \param x       n values in device memory; read only
/// \param n       number of elements, 0 to 10⁹
/// \param out     n values in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap x; no sum of successive values of a block leaves
/// the range of int.
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈n/256⌉, block 256, 1 KiB of static shared memory.
///
/// **Cost**: 8n additions; 8n bytes of global memory, the least possible; no shared memory bank
/// conflicts.
///
/// **Source**: W. D. Hillis and G. L. Steele, *Data Parallel Algorithms*, Communications of the ACM
/// 29 (12), 1986.
void suffix_sums(const int* x, int n, int* out, cudaStream_t stream = nullptr);

}  // namespace tut::ch06
