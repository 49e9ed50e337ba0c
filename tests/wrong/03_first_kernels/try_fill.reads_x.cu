// fails: budget
// says: moved
// Reads x, and writes only what has other bits.
#include "03_first_kernels/try_fill.hpp"

#include "tut/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void fill_kernel(float* x, int n, float value) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(n) && __float_as_int(x[i]) != __float_as_int(value)) x[i] = value;
}

}  // namespace

cudaError_t try_fill(float* x, int n, float value, int threads, cudaStream_t stream) {
  const int blocks = threads > 0 ? ceil_div(n, threads) : 1;
  fill_kernel<<<blocks, threads, 0, stream>>>(x, n, value);
  return cudaGetLastError();
}

}  // namespace tut::ch03
