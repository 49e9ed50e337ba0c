/// \file
/// How blocks that write parts of a result find out which of them is the last.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch08 {

//! [last_block]
/// Finds out whether this block is the last of `count` to make the call with this counter. It then
/// sees what the others wrote before theirs. All threads of a block of threads (x, y) make the
/// call, and `is_last` lies in shared memory. The counter is 0 before the first block's call, and
/// again after the last one's.
__device__ inline void count_block(unsigned* counter, unsigned count, bool& is_last) {
  __syncthreads();  // all threads have written, and have read what is_last was before
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    __threadfence();  // whoever sees this block counted also sees what it wrote
    is_last = atomicAdd(counter, 1u) + 1 == count;
    if (is_last) *counter = 0;
    __threadfence();  // the counter was read first, and what was written is read after it
  }
  __syncthreads();
}
//! [last_block]

}  // namespace tut::ch08
