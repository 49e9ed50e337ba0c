// fails: values
// Launches with another block size instead of reporting that of the caller.
#include "03_first_kernels/try_fill.hpp"

#include "tut/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void fill_kernel(float* x, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

}  // namespace

cudaError_t try_fill(float* x, int n, float value, [[maybe_unused]] int threads,
                     cudaStream_t stream) {
  fill_kernel<<<ceil_div(n, 256), 256, 0, stream>>>(x, n, value);

  cudaError_t error = cudaErrorUnknown;
  error = cudaGetLastError();
  return error;
}

}  // namespace tut::ch03
