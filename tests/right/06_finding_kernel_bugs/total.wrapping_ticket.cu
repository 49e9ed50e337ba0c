// atomicInc counts round to 0 by itself, and thread 0 adds up the partial sums.
#include "06_finding_kernel_bugs/total.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void total_kernel(const float* x, int n, float* out, float* partial,
                             unsigned* finished) {
  __shared__ float sums[256];
  const int tx = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + tx; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  sums[tx] = sum;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (tx < step) sums[tx] += sums[tx + step];
    __syncthreads();
  }
  if (tx != 0) return;
  partial[blockIdx.x] = sums[0];
  __threadfence();
  if (atomicInc(finished, gridDim.x - 1) != gridDim.x - 1) return;
  __threadfence();
  sum = 0.0f;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += __ldcg(&partial[b]);
  *out = sum;
}

}  // namespace

void total(const float* x, int n, float* out, float* partial, unsigned* finished,
           cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  total_kernel<<<total_blocks(n), 256, 0, stream>>>(x, n, out, partial, finished);
  check_launch();
}

}  // namespace tut::ch06
