// Shuffles in place of the tree, and one warp for the partial sums.
#include "06_finding_kernel_bugs/total.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__device__ float warp_sum(float value) {
  for (int k = 16; k > 0; k /= 2) value += __shfl_xor_sync(0xffffffff, value, k);
  return value;
}

__global__ void total_kernel(const float* x, int n, float* out, float* partial,
                             unsigned* finished) {
  __shared__ float of_warp[8];
  __shared__ bool is_last;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i];
  sum = warp_sum(sum);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = warp_sum(lane < 8 ? of_warp[lane] : 0.0f);
  if (lane == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(finished, 1u) == gridDim.x - 1;
    if (is_last) __threadfence();
  }
  __syncwarp();
  if (!is_last) return;
  sum = 0.0f;
  for (unsigned b = lane; b < gridDim.x; b += 32) sum += partial[b];
  sum = warp_sum(sum);
  if (lane == 0) *out = sum;
  if (lane == 0) *finished = 0;
}

}  // namespace

void total(const float* x, int n, float* out, float* partial, unsigned* finished,
           cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  total_kernel<<<total_blocks(n), 256, 0, stream>>>(x, n, out, partial, finished);
  check_launch();
}

}  // namespace tut::ch06
