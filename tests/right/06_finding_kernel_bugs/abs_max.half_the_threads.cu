// 128 threads load two elements each; the tree begins with 64.
#include "06_finding_kernel_bugs/abs_max.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void abs_max_kernel(const float* x, int n, float* maxima) {
  __shared__ float largest[128];
  const int tid = threadIdx.x, first = blockIdx.x * 256;
  float mine = 0.0f;
  for (int i = first + tid; i < n && i < first + 256; i += 128) mine = fmaxf(mine, fabsf(x[i]));
  largest[tid] = mine;
  for (int half = 64; half >= 1; half >>= 1) {
    __syncthreads();
    if (tid < half) largest[tid] = fmaxf(largest[tid], largest[tid + half]);
  }
  if (tid == 0) maxima[blockIdx.x] = largest[0];
}

}  // namespace

void abs_max(const float* x, int n, float* maxima, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;
  abs_max_kernel<<<(n + 255) / 256, 128, 0, stream>>>(x, n, maxima);
  check_launch();
}

}  // namespace tut::ch06
