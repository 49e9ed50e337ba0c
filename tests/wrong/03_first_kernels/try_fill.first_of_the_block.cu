// fails: budget
// says: threads
// The first thread of a block writes all of its elements.
#include "03_first_kernels/try_fill.hpp"

#include "tut/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void fill_kernel(float* x, int n, float value) {
  const unsigned first = blockIdx.x * blockDim.x;
  if (threadIdx.x != 0) return;
  for (unsigned i = first; i < first + blockDim.x && i < static_cast<unsigned>(n); ++i) {
    x[i] = value;
  }
}

}  // namespace

cudaError_t try_fill(float* x, int n, float value, int threads, cudaStream_t stream) {
  const int blocks = threads > 0 ? ceil_div(n, threads) : 1;
  fill_kernel<<<blocks, threads, 0, stream>>>(x, n, value);
  return cudaGetLastError();
}

}  // namespace tut::ch03
