// fails: budget
// says: threads use memory
// A loop makes any grid right, so one warp looks like enough: it swaps all pairs, one after the
// other, while the rest of the GPU has nothing to do.
#include "03_first_kernels/reverse.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void reverse_kernel(float* x, int n) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += threads) {
    const int partner = n - 1 - i;
    const float value = x[i];
    x[i] = x[partner];
    x[partner] = value;
  }
}

}  // namespace

void reverse(float* x, int n, cudaStream_t stream) {
  constexpr int BLOCK = 32;
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n < 2) return;

  const int blocks = 1;
  reverse_kernel<<<blocks, BLOCK, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
