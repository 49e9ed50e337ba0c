/// \file
/// The smallest kernels with shared memory: every block reverses its own piece of a vector.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch05 {

/// Reverses every 256 elements: element i of a piece goes to place 255 - i of the same piece. The
/// last piece may be shorter, and is reversed in itself.
///
/// The size of the array in shared memory is a constant: static shared memory.
///
/// \param x       n values in device memory; read only
/// \param n       number of elements, 0 or more
/// \param out     n values in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap x.
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈n/256⌉, block 256, 1 KiB of static shared memory; nothing for n = 0.
///
/// **Cost**: no FLOPs; 8n bytes of global memory; no shared memory bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Shared Memory".
void reverse_blocks(const float* x, int n, float* out, cudaStream_t stream = nullptr);

/// The same with pieces of any size that a block can have. The size of the array in shared memory
/// is chosen at the launch: dynamic shared memory.
///
/// \param x       n values in device memory; read only
/// \param n       number of elements, 0 or more
/// \param size    elements of a piece and threads of a block, 1 to 1024
/// \param out     n values in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap x.
///
/// Errors: `std::invalid_argument` if n is negative or size out of range; `tut::CudaError` if the
/// launch fails.
///
/// **Launch**: grid ⌈n/size⌉, block size, 4·size bytes of dynamic shared memory; nothing for n = 0.
///
/// **Cost**: no FLOPs; 8n bytes of global memory; no shared memory bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Shared Memory".
void reverse_blocks_of(const float* x, int n, int size, float* out, cudaStream_t stream = nullptr);

}  // namespace tut::ch05
