/// \file
/// Contract of the exercise delta_rows: the rows of a matrix replaced by their differences, in
/// place.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch06 {

/// Replaces each row by its differences, in place: m(i, j) becomes m(i, j) - m(i, j - 1) for j > 0,
/// with the values that the elements had before; m(i, 0) stays. Each difference is rounded once.
///
/// All in one launch. In the worked solution a block takes a row, 256 elements at a time: it stages
/// them, and only then overwrites them.
///
/// \param m       (M, N), row-major, device memory, stride >= N; updated, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no size is above 10⁹.
///
/// Errors: `std::invalid_argument` if m has a size below 1, a stride below N or no data;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: grid M, block 256, 1028 bytes of static shared memory.
///
/// **Cost**: MN FLOPs; 8MN bytes of global memory for strides that 8 divides, the least possible.
/// An element may be loaded once more for its right neighbour: it lies in a cache. No shared memory
/// bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Synchronization Functions".
void delta_rows(MatrixView<float> m, cudaStream_t stream = nullptr);

}  // namespace tut::ch06
