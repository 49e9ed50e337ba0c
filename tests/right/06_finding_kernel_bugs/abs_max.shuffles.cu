// Warps find their maxima by shuffles, and one warp that of the eight.
#include "06_finding_kernel_bugs/abs_max.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void abs_max_kernel(const float* x, int n, float* maxima) {
  __shared__ float of_warp[8];
  const int i = blockIdx.x * 256 + threadIdx.x;
  float largest = i < n ? fabsf(x[i]) : 0.0f;
  for (int k = 16; k > 0; k /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, k));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = largest;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  largest = threadIdx.x < 8 ? of_warp[threadIdx.x] : 0.0f;
  for (int k = 4; k > 0; k /= 2) largest = fmaxf(largest, __shfl_down_sync(0xffffffff, largest, k));
  if (threadIdx.x == 0) maxima[blockIdx.x] = largest;
}

}  // namespace

void abs_max(const float* x, int n, float* maxima, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;
  abs_max_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, n, maxima);
  check_launch();
}

}  // namespace tut::ch06
