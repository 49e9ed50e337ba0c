// Blocks of 64 threads, one for each element of the whole array: half of them find nothing to do.
#include "03_first_kernels/reverse.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int partner = n - 1 - i;
  if (i >= partner) return;
  const float kept = x[i];
  x[i] = x[partner];
  x[partner] = kept;
}

}  // namespace

void reverse(float* x, int n, cudaStream_t stream) {
  constexpr int BLOCK = 64;
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n < 2) return;
  reverse_kernel<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
