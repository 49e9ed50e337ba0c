/// \file
/// Contract of the exercise row_norms: squared lengths of the rows of a matrix, by warp shuffles.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch06 {

/// squares[i] is the sum of the squares of row i: infinity if the row holds one and no NaN, NaN if
/// it holds a NaN. The tests allow an error of (4 + 2 √N) 2⁻²⁴ times that sum.
///
/// All in one launch. In the worked solution a block takes a row. `__shfl_down_sync(mask, v, k)`
/// gives a lane the v of the lane k places higher in its warp, without shared memory, so five of
/// them add up a warp. What the eight warps of a block found goes through shared memory to the
/// first of them, which adds that up in the same way.
///
/// \param in       (M, N), row-major, device memory, stride >= N; read only
/// \param squares  M values in device memory; overwritten
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: squares does not overlap in. No size is above 10⁹. Where all elements of a row
/// are finite, float holds the sum of their squares.
///
/// Errors: `std::invalid_argument` if in has a size below 1, a stride below N or no data;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: grid M, block 256, 32 bytes of static shared memory.
///
/// **Cost**: 2MN FLOPs; 4MN bytes of global memory for strides that 8 divides, and a sector of 32
/// bytes a row for the result; no shared memory bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Shuffle Functions".
void row_norms(MatrixView<const float> in, float* squares, cudaStream_t stream = nullptr);

}  // namespace tut::ch06
