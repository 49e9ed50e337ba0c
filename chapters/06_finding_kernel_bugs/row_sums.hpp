/// \file
/// Contract of the exercise row_sums: sums along the rows of a matrix, through a tile.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch06 {

/// sums[i] is the sum of row i. Infinities and NaN take part as in any sum: they change that of
/// their row, and no other. The tests allow an error of (4 + 2 √N) 2⁻²⁴ times the sum of the
/// absolute values.
///
/// All in one launch. In the worked solution neighbouring threads read neighbouring columns into a
/// tile of 32 x 32 in shared memory; then 32 threads add up a row of the tile each.
///
/// \param in      (M, N), row-major, device memory, stride >= N; read only
/// \param sums    M values in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: sums does not overlap in. No size is above 10⁹.
///
/// Errors: `std::invalid_argument` if in has a size below 1, a stride below N or no data;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈M/32⌉, block (32, 8), 4224 bytes of static shared memory.
///
/// **Cost**: MN FLOPs; 4MN + 4M bytes of global memory for sizes that 32 divides, the least
/// possible; no shared memory bank conflicts.
///
/// **Source**: CUDA C++ Best Practices Guide, "Shared Memory and Memory Banks".
void row_sums(MatrixView<const float> in, float* sums, cudaStream_t stream = nullptr);

}  // namespace tut::ch06
