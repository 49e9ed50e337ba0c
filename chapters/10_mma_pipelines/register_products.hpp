/// \file
/// Nothing but products: how fast mma.sync is where its operands are always there.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace tut::ch10 {

/// Warps of a block, and threads.
inline constexpr int REGISTER_WARPS = 8, REGISTER_THREADS = 32 * REGISTER_WARPS;
/// Words of a lane's fragments: 4 of A and 8 of B, as matmul_pipelined has them for 16 k's.
inline constexpr int REGISTER_WORDS = 4 * 4 + 8 * 2;

/// The products of matmul_pipelined without its loads and copies: every warp of `blocks` blocks
/// adds the 32 products of 4 fragments of A and 8 of B to its 64 x 64 sums, `steps` times. The
/// fragments stay in registers.
///
/// \param words   REGISTER_WORDS * 32 words in device memory, each of two elements of T: word
///                (f * 32 + lane) is register f of a lane's fragments, those of A first; read only
/// \param sums    blocks * REGISTER_THREADS floats in device memory; overwritten: the sum of all
///                128 sums of a thread
/// \param blocks  at least 1
/// \param steps   at least 1
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` for blocks or steps below 1; `std::runtime_error` below compute
/// capability 8.0; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (blocks), block (256), no shared memory.
///
/// **Cost**: 2 · 64 · 64 · 16 FLOPs for each warp and step.
///
/// **Source**: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
template <class T>
void register_products(const unsigned* words, float* sums, int blocks, int steps,
                       cudaStream_t stream = nullptr);

}  // namespace tut::ch10
