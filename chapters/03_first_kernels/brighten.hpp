/// \file
/// Brighten a grey image, a thread per pixel on a grid of two dimensions: chapter 03.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch03 {

/// out(r, c) = in(r, c) + offset, kept within 0 .. 255; one thread per pixel.
///
/// \param in      (height, width) grey values, row-major, device memory, stride >= width; read only
/// \param out     (height, width), row-major, device memory, stride >= width; overwritten, its
///                padding kept; may be in
/// \param offset  what is added to every pixel
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the shapes differ; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈width/32⌉, ⌈height/8⌉), block (32, 8), no shared memory.
///
/// **Cost**: 2·width·height bytes of global memory, the least possible.
///
/// **Source**: CUDA C++ Programming Guide, "Thread Hierarchy" and "Device Memory" (pitch).
void brighten(MatrixView<const unsigned char> in, MatrixView<unsigned char> out, int offset,
              cudaStream_t stream = nullptr);

}  // namespace tut::ch03
