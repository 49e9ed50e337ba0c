#include "03_first_kernels/try_fill.hpp"

#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void fill_kernel(float* x, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

}  // namespace

cudaError_t try_fill(float* x, int n, float value, int threads, cudaStream_t stream) {
  const int blocks = threads > 0 ? ceil_div(n, threads) : 1;

  //! [hole-launch]
  // Launch fill_kernel with what the caller asked for, possible or not.
  fill_kernel<<<blocks, threads, 0, stream>>>(x, n, value);
  //! [hole-launch]

  cudaError_t error = cudaErrorUnknown;
  //! [hole-error]
  // Ask what became of the launch, without waiting for the kernel. Of the two functions that
  // answer this, which one leaves no error behind for the next caller?
  error = cudaGetLastError();
  //! [hole-error]
  return error;
}

}  // namespace tut::ch03
