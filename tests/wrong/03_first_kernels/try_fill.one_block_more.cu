// fails: launch
// Where threads divides n, the last block has nothing to do.
#include "03_first_kernels/try_fill.hpp"

#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void fill_kernel(float* x, int n, float value) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(n)) x[i] = value;
}

}  // namespace

cudaError_t try_fill(float* x, int n, float value, int threads, cudaStream_t stream) {
  const int blocks = threads > 0 ? n / threads + 1 : 1;
  fill_kernel<<<blocks, threads, 0, stream>>>(x, n, value);
  return cudaGetLastError();
}

}  // namespace tut::ch03
