//! [bug-race]
//> // Its plain test passes, and yet it has a bug.
//! [bug-race]
#include "06_finding_kernel_bugs/total.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

// The sum of v over the block, in all its threads.
template <int BLOCK>
__device__ float block_sum(float v) {
  static_assert((BLOCK & (BLOCK - 1)) == 0, "the tree halves the block");
  __shared__ float sums[BLOCK];
  const int tx = threadIdx.x;
  sums[tx] = v;
  __syncthreads();
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (tx < step) sums[tx] += sums[tx + step];
    __syncthreads();
  }
  const float sum = sums[0];
  __syncthreads();
  return sum;
}

template <int BLOCK>
__global__ void total_kernel(const float* x, int n, float* out, float* partial,
                             unsigned* finished) {
  __shared__ bool is_last;
  const int blocks = gridDim.x;

  float mine = 0.0f;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += blocks * BLOCK) mine += x[i];
  const float part = block_sum<BLOCK>(mine);

  if (threadIdx.x == 0) {
    partial[blockIdx.x] = part;
    //! [bug-race]
    // Whoever sees the ticket taken must also see the sum.
    __threadfence();
    //! [bug-race]
    is_last = atomicAdd(finished, 1u) + 1 == gridDim.x;
    __threadfence();  // the ticket was drawn first, and the sums are read after it
  }
  __syncthreads();
  if (!is_last) return;

  float rest = 0.0f;
  for (int block = threadIdx.x; block < blocks; block += BLOCK) rest += partial[block];
  const float all = block_sum<BLOCK>(rest);
  if (threadIdx.x == 0) {
    *out = all;
    *finished = 0;
  }
}

}  // namespace

void total(const float* x, int n, float* out, float* partial, unsigned* finished,
           cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"total of ", n, " elements; expected 0 or more"});
  total_kernel<BLOCK><<<total_blocks(n), BLOCK, 0, stream>>>(x, n, out, partial, finished);
  check_launch();
}

}  // namespace tut::ch06
