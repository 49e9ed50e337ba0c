/// \file
/// Contract of the exercise matmul_wmma_warp_tile: C = AB on tensor cores, four fragments of C in a
/// warp.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch09 {

/// C = AB in one launch, on tensor cores whatever the sizes; factors in half, sums in FP32. A warp
/// computes several fragments of C, straight from global memory, and uses what it loads for more
/// than one product: in the worked solution it has a tile of 32 x 32 as 2 x 2 fragments, and loads
/// 2 tiles of A and 2 of B for 4 products. Infinities and NaN in A and B reach the elements of C
/// that they are factors of, as IEEE 754 has it, and no others.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. M is at most 65535 · 8 (524,280), and no row has more
/// than 10^9 elements.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1 or a stride is below
/// its row; `tut::CudaError` if the launch fails.
///
/// Accuracy, for random numbers, whose roundings do not all go one way: an element is off by at
/// most 2 sqrt(K) 2^-23 times the sum of the absolute values of its K products.
///
/// **Launch**: grid (⌈N/32⌉, ⌈M/32⌉), block (32), 2304 bytes of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory, where 32 divides M and N and 16 divides K: MNK/8 bytes of A
/// and B are asked for and MNK/4 move (a request takes half of each sector that it touches), and
/// 4MN bytes of C. matmul_wmma moves twice as many for A and B. No shared memory bank
/// conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Matrix Functions".
void matmul_wmma_warp_tile(MatrixView<const __half> a, MatrixView<const __half> b,
                           MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch09
