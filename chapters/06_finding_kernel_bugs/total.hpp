/// \file
/// Contract of the exercise total: a sum in one launch: the last block adds up what the others
/// found.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch06 {

/// The number of blocks that total uses for n elements, which is the length of `partial`.
constexpr int total_blocks(int n) {
  constexpr int ELEMENTS_PER_BLOCK = 1024, MOST_BLOCKS = 64;
  const int blocks = n / ELEMENTS_PER_BLOCK + (n % ELEMENTS_PER_BLOCK != 0 ? 1 : 0);
  return blocks < 1 ? 1 : blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
}

/// *out is the sum of x[0] to x[n - 1], computed by one launch. Infinities and NaN take part as in
/// any sum. The tests allow an error of (4 + 2 √n) 2⁻²⁴ times the sum of the absolute values.
///
/// Each block adds up a part of x and writes its sum to `partial`. Then it draws a number from
/// `finished`; the block that draws the last number adds up `partial`.
///
/// \param x         n values in device memory; read only
/// \param n         number of elements, 0 to 10⁹
/// \param out       one value in device memory; overwritten
/// \param partial   total_blocks(n) values in device memory; overwritten by the blocks' sums
/// \param finished  one value in device memory, 0 before; 0 again afterwards
/// \param stream    stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: the memories do not overlap; calls that share `partial` or `finished` do not run
/// at the same time.
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid total_blocks(n), block 256, about 1 KiB of static shared memory.
///
/// **Cost**: n FLOPs; 4n bytes of global memory, and four sectors of 32 bytes a block for partial
/// sums and numbers; no shared memory bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Memory Fence Functions".
void total(const float* x, int n, float* out, float* partial, unsigned* finished,
           cudaStream_t stream = nullptr);

}  // namespace tut::ch06
