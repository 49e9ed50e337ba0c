/// \file
/// Contract of the exercise copy_tile_tma: a part of a matrix, brought by TMA.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// The part of a matrix that begins at (row0, col0), in one launch: out(r, c) = in(row0 + r, col0 +
/// c) where that lies inside of `in`, and 0 where it does not. row0 and col0 may be negative. Each
/// block has TMA bring 32 x 32 elements into shared memory, waits at an mbarrier until they are
/// there, and writes them out. No thread reads `in` itself.
///
/// \param in      (rows, cols), row-major, device memory, stride >= cols and a multiple of 4; read
///                only
/// \param row0    row of `in` where the part begins
/// \param col0    its column
/// \param out     (height, width), row-major, device memory, any stride >= width; overwritten, its
///                padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. height is at most 65535 · 32, and row0 + height and col0
/// + width fit an int.
///
/// Errors: `std::invalid_argument` if a size is below 1, a stride is below its row, or `in` has a
/// stride that is no multiple of 4 elements or does not begin at a multiple of 16 bytes;
/// `std::runtime_error` where the compute capability is not 9.0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: grid (⌈width/32⌉, ⌈height/32⌉), block (256), 4104 bytes of static shared memory.
///
/// **Cost**: 4·height·width bytes read, where all of it lies inside, and as many written; no shared
/// memory bank conflicts.
///
/// **Source**: PTX ISA, "Tensor copy", "mbarrier"; CUDA C++ Programming Guide, "Tensor Memory
/// Access".
void copy_tile_tma(MatrixView<const float> in, int row0, int col0, MatrixView<float> out,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch11
