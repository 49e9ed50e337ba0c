// fails: launch
// A warp of which only some lanes exist looks wasteful; the caller asked for it all the same.
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
  if (threads > 0 && threads <= 1024) threads = ceil_div(threads, 32) * 32;
  const int blocks = threads > 0 ? ceil_div(n, threads) : 1;
  fill_kernel<<<blocks, threads, 0, stream>>>(x, n, value);
  return cudaGetLastError();
}

}  // namespace tut::ch03
