// fails: launch
// says: launches 2 kernels
// A second launch adds up what the blocks found.
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
__global__ void parts_kernel(const float* x, int n, float* partial) {
  const int blocks = gridDim.x;
  float mine = 0.0f;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += blocks * BLOCK) mine += x[i];
  const float part = block_sum<BLOCK>(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = part;
}

template <int BLOCK>
__global__ void rest_kernel(const float* partial, int blocks, float* out) {
  const int tx = threadIdx.x;
  const float all = block_sum<BLOCK>(tx < blocks ? partial[tx] : 0.0f);
  if (tx == 0) *out = all;
}

}  // namespace

void total(const float* x, int n, float* out, float* partial, unsigned*, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"total of ", n, " elements; expected 0 or more"});
  parts_kernel<BLOCK><<<total_blocks(n), BLOCK, 0, stream>>>(x, n, partial);
  check_launch();
  rest_kernel<BLOCK><<<1, BLOCK, 0, stream>>>(partial, total_blocks(n), out);
  check_launch();
}

}  // namespace tut::ch06
