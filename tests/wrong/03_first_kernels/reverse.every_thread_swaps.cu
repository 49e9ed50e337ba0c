// fails: race
// One thread an element: every pair is swapped twice, or races.
#include "03_first_kernels/reverse.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int partner = n - 1 - i;
  const float value = x[i];
  x[i] = x[partner];
  x[partner] = value;
}

}  // namespace

void reverse(float* x, int n, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n < 2) return;

  int blocks = 1;
  blocks = ceil_div(n, BLOCK);
  reverse_kernel<<<blocks, BLOCK, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
