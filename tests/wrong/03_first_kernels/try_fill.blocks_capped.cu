// fails: launch
// says: expected <<<70000, 1>>>
// Launches at most 65535 blocks, the most along y and z, but not along x.
#include "03_first_kernels/try_fill.hpp"

#include "tut/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void fill_kernel(float* x, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

}  // namespace

cudaError_t try_fill(float* x, int n, float value, int threads, cudaStream_t stream) {
  const int blocks = threads > 0 ? min(ceil_div(n, threads), 65535) : 1;

  fill_kernel<<<blocks, threads, 0, stream>>>(x, n, value);

  cudaError_t error = cudaErrorUnknown;
  error = cudaGetLastError();
  return error;
}

}  // namespace tut::ch03
