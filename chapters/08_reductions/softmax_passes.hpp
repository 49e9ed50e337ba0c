/// \file
/// Softmax of rows in three passes over memory: what softmax_online improves on.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch08 {

/// out(i, j) = exp(in(i, j) - m) / s with m the largest value of row i and s the sum of the
/// exponentials. A block reads its row for m, again for s, and a third time for the result.
///
/// A row with a NaN or +inf in it, or with nothing but -inf, becomes NaN throughout.
///
/// \param in      (M, N), row-major, device memory, stride >= N; read only
/// \param out     (M, N), row-major, device memory, stride >= N; overwritten, its padding kept; may
///                be `in` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the shapes differ; `tut::CudaError` if the launch fails.
///
/// **Launch**: a block of 256 threads for each row, 64 bytes of static shared memory.
///
/// **Cost**: 2MN exponentials; 16MN bytes: 12 read and 4 written an element.
///
/// **Source**: none; the formula itself.
void softmax_passes(MatrixView<const float> in, MatrixView<float> out,
                    cudaStream_t stream = nullptr);

}  // namespace tut::ch08
