// fails: values
// says: the result on a stream whose capture is invalid is cudaSuccess
// Knows which number of threads is refused, and asks for no other reason.
#include "03_first_kernels/try_fill.hpp"

#include "tut/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void fill_kernel(float* x, int n, float value) {
  // Blocks of any size: in the last one i may pass what an int holds.
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(n)) x[i] = value;
}

}  // namespace

cudaError_t try_fill(float* x, int n, float value, int threads, cudaStream_t stream) {
  const int blocks = threads > 0 ? ceil_div(n, threads) : 1;

  if (threads < 1 || threads > 1024) return cudaErrorInvalidConfiguration;
  fill_kernel<<<blocks, threads, 0, stream>>>(x, n, value);
  return cudaSuccess;
}

}  // namespace tut::ch03
