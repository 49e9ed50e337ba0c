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
/// store the tile transposed. A warp then writes down a column of the tile. In a tile whose rows
/// have 32 words all 32 words of a column lie in one bank; one more word in each row spreads them
/// over all 32.
///
/// An infinity or a NaN in an input reaches every element of C whose sum contains it, even where
/// the other factor is 0 (0·∞ is NaN), and no other element.
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
