#include "03_first_kernels/reverse.hpp"

#include <string>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void reverse_kernel(float* x, int n) {
  //! [hole-swap]
  // One thread swaps one pair of elements. How many pairs are there, and which threads have
  // none?
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const int partner = n - 1 - i;
  const float value = x[i];
  x[i] = x[partner];
  x[partner] = value;
  //! [hole-swap]
}

}  // namespace

void reverse(float* x, int n, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n < 2) return;

  int blocks = 1;
  //! [hole-grid]
  // Enough blocks for every pair.
  blocks = ceil_div(n / 2, BLOCK);
  //! [hole-grid]
  reverse_kernel<<<blocks, BLOCK, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
