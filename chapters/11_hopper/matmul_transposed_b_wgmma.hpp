/// \file
/// Contract of the exercise matmul_transposed_b_wgmma: C = AB by wgmma, whose rows of B run along
/// N.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// C = AB in one launch; factors in bfloat16, sums in FP32, each rounded once to bfloat16. B is as
/// chapter 10 has it, with rows that run along N, and nobody transposes it in memory: wgmma is told
/// to. A step has 64 k's. TMA brings B's 64 x 128 as two boxes of 64 columns, since a swizzled row
/// has 128 bytes. Products are those of wgmma.m64n128k16 whatever the sizes.
///
/// \param a       (M, K), row-major, device memory, stride >= K and a multiple of 8; read only
/// \param b       (K, N), row-major, device memory, stride >= N and a multiple of 8; read only
/// \param c       (M, N), row-major, device memory, any stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. M is at most 65535 · 64. Infinities and NaN in A and
/// B reach the elements of C that they are factors of, as IEEE 754 has it, and no others.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1, a stride is below
/// its row, or a or b has a stride that is no multiple of 8 elements or does not begin at a
/// multiple of 16 bytes; `std::runtime_error` where the compute capability is not 9.0;
/// `tut::CudaError` if the launch fails.
///
/// Accuracy, for random numbers, whose roundings do not all go one way: a sum is off by at most
/// 2 sqrt(K) 2^-23 times the sum of the absolute values of its K products, before it is rounded.
///
/// **Launch**: grid (⌈N/128⌉, ⌈M/64⌉), block (128), 24,584 bytes of static shared memory.
///
/// **Cost**: 2MNK FLOPs, MNK/131,072 products of wgmma. Global memory, where 64 and 128 divide the
/// sizes: 3MNK/64 bytes of A and B and 2MN of C, of which four lanes store 16 bytes of a row, half
/// a sector, so that 4MN move. No shared memory bank conflicts.
///
/// **Source**: PTX ISA, "Matrix Descriptor Format", "Strides", "Major-ness supported by
/// matrix operands".
void matmul_transposed_b_wgmma(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                               MatrixView<__nv_bfloat16> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch11
