/// \file
/// Contract of the exercise matmul_padded: C = AB with the tile of A stored transposed.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch05 {

/// C = AB in FP32, in one launch, with A's tile kept transposed, (k, row), in shared memory, free
/// of bank conflicts.
///
/// The register-tiled kernels of chapter 07 want a column of A's tile as consecutive words, so they
/// store the tile transposed. A warp then writes down a column of the tile: in a tile 32 words wide
/// all 32 words lie in one bank, and a pad of one word a row spreads them over all 32.
///
/// Infinities and NaN are part of every sum that has them (0·∞ is NaN), and of no other.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1 and at most 10⁹, and M at
/// most 65535 · 8.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/32⌉, ⌈M/32⌉), block (32, 32), 8320 bytes of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory: MNK/4 + 4MN bytes for sizes that 32 divides and rows that
/// begin at multiples of 32 bytes; no shared memory bank conflicts.
///
/// **Source**: CUDA C++ Best Practices Guide, "Shared Memory and Memory Banks".
void matmul_padded(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch05
