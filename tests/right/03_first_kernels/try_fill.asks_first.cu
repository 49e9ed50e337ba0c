// Knows how many threads a block may have, and launches nothing else.
#include "03_first_kernels/try_fill.hpp"

namespace tut::ch03 {
namespace {

__global__ void set_kernel(float* x, int n, float value) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

}  // namespace

cudaError_t try_fill(float* x, int n, float value, int threads, cudaStream_t stream) {
  if (threads < 1 || threads > 1024) return cudaErrorInvalidConfiguration;
  set_kernel<<<(n - 1) / threads + 1, threads, 0, stream>>>(x, n, value);
  return cudaGetLastError();
}

}  // namespace tut::ch03
