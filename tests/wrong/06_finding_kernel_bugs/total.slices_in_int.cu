// fails: overflow
// Where a slice begins is computed in int.
#include "06_finding_kernel_bugs/total.hpp"

#include "tut/check.hpp"
#include "tut/require.hpp"

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

// The first element of a block's part: neighbouring parts, that begin at whole sectors.
__device__ int part_begin(int block, int blocks, int n) { return (block * n / blocks) & ~7; }

template <int BLOCK>
__global__ void total_kernel(const float* x, int n, float* out, float* partial,
                             unsigned* finished) {
  __shared__ bool is_last;
  const int blocks = gridDim.x;

  float mine = 0.0f;
  const int block = blockIdx.x;
  const int begin = part_begin(block, blocks, n);
  const int end = block + 1 == blocks ? n : part_begin(block + 1, blocks, n);
  for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += BLOCK) mine += x[i];
  const float part = block_sum<BLOCK>(mine);

  if (threadIdx.x == 0) {
    partial[blockIdx.x] = part;
    __threadfence();  // the sum before the ticket
    is_last = atomicAdd(finished, 1u) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!is_last) return;

  float rest = 0.0f;
  for (int k = threadIdx.x; k < blocks; k += BLOCK) rest += partial[k];
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
