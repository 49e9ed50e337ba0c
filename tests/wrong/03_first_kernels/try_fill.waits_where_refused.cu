// fails: values
// says: the host has waited for its stream (4096 threads a block)
// only: cpu backend, because a GPU does not tell what the host has waited for
// Waits for the device where the launch is refused.
#include "03_first_kernels/try_fill.hpp"

#include "tut/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void fill_kernel(float* x, int n, float value) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(n)) x[i] = value;
}

}  // namespace

cudaError_t try_fill(float* x, int n, float value, int threads, cudaStream_t stream) {
  const int blocks = threads > 0 ? ceil_div(n, threads) : 1;
  fill_kernel<<<blocks, threads, 0, stream>>>(x, n, value);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    cudaDeviceSynchronize();
    cudaGetLastError();
  }
  return error;
}

}  // namespace tut::ch03
