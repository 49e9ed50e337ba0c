/// \file
/// How often each byte occurs: atomics on global memory, and on copies in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

namespace tut::ch08 {

inline constexpr int BINS = 256;

/// bins[v] = how many elements of `in` are v, by one atomic a byte in global memory.
///
/// \param in      fewer than 2^32 bytes of device memory; read only
/// \param bins    256 counters in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` for null pointers and other lengths; `tut::CudaError` if the
/// launch fails.
///
/// **Launch**: a thread for each byte, blocks of 256.
///
/// **Cost**: n bytes read, n atomics in global memory.
///
/// **Source**: CUDA C++ Programming Guide, "Atomic Functions".
void histogram_atomic(std::span<const std::uint8_t> in, std::span<unsigned> bins,
                      cudaStream_t stream = nullptr);

/// The same. Each warp counts into a copy of the bins in shared memory, 16 bytes a load; at the end
/// the block adds its copies up and to the bins. Integers may be added in any order: the result is
/// the same each time.
///
/// The parameters and errors are those of histogram_atomic.
///
/// **Launch**: a block of 256 threads for each 32 KiB, at most 1056; 8 KiB of static shared memory.
///
/// **Cost**: n bytes read, n atomics in shared memory, at most 256 atomics a block in global
/// memory.
///
/// **Source**: V. Podlozhnyuk, "Histogram calculation in CUDA", NVIDIA, 2007.
void histogram(std::span<const std::uint8_t> in, std::span<unsigned> bins,
               cudaStream_t stream = nullptr);

}  // namespace tut::ch08
