/// \file
/// The last step of the gradients of the norms: what the blocks have summed up, added up.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch08 {

/// d_scale[j] = the sum of column j of `partial`, d_shift[j] = that of column cols + j. The order
/// of the additions depends on the shape alone.
///
/// \param partial  (M, cols) or (M, 2 cols), row-major, device memory; read only
/// \param cols     at least 1
/// \param d_scale  cols values, device memory; overwritten
/// \param d_shift  likewise; unused where `partial` has `cols` columns
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `tut::CudaError` if the launch fails.
///
/// **Launch**: blocks of (32, 32), one for each 32 columns; 4 KiB of static shared memory.
///
/// **Cost**: each element of `partial` is read once, in rows of 128 bytes.
///
/// **Source**: none.
void sum_partial_columns(MatrixView<const float> partial, int cols, float* d_scale, float* d_shift,
                         cudaStream_t stream = nullptr);

}  // namespace tut::ch08
