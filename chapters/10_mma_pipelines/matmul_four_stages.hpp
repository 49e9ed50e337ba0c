/// \file
/// Contract of the exercise matmul_four_stages: C = AB with the copies of three steps on their way.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch10 {

/// C = AB in one launch, by mma.sync.m16n8k16 whatever the sizes; factors in bfloat16, sums in
/// FP32. Shared memory holds the tiles of four steps of 64 k's: one is multiplied while the copies
/// of three more are under way, and a block meets at one barrier a step. Infinities and NaN in A
/// and B reach the elements of C that they are factors of, as IEEE 754 has it, and no others.
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
/// its row; `std::runtime_error` below compute capability 8.0; `tut::CudaError` if the launch
/// fails.
///
/// Accuracy, for random numbers, whose roundings do not all go one way: an element is off by at
/// most 2 sqrt(K) 2^-23 times the sum of the absolute values of its K products.
///
/// **Launch**: grid (⌈N/64⌉, ⌈M/64⌉), block (128), 65,536 bytes of dynamic shared memory.
///
/// **Cost**: 2MNK FLOPs, MNK/2048 products of mma.sync. Global memory, where 64 divides all sizes:
/// MNK/16 bytes of A and B and 4MN of C. Shared memory: MNK/16 bytes written and MNK/8 read, by a
/// warp for 32 x 32 elements of C, without bank conflicts. One barrier a step.
///
/// **Source**: PTX ISA, "cp.async", "cp.async.commit_group", "cp.async.wait_group".
void matmul_four_stages(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                        MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch10
