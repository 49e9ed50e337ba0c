// Two pointers walk towards each other, in strides of a few blocks.
#include "03_first_kernels/reverse.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void swap_ends_kernel(float* first, float* last) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  float* left = first + thread;
  float* right = last - thread;
  for (; left < right; left += threads, right -= threads) {
    const float kept = *right;
    *right = *left;
    *left = kept;
  }
}

}  // namespace

void reverse(float* x, int n, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n < 2) return;
  swap_ends_kernel<<<4, 128, 0, stream>>>(x, x + (n - 1));
  check_launch();
}

}  // namespace tut::ch03
