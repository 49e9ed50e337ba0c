// fails: values
// says: expected -0
// What is moved is added to 0, so that -0 becomes 0.
#include "03_first_kernels/reverse.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const int partner = n - 1 - i;
  const float value = x[i];
  x[i] = x[partner] + 0.0f;
  x[partner] = value + 0.0f;
}

}  // namespace

void reverse(float* x, int n, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n < 2) return;

  const int blocks = ceil_div(n / 2, BLOCK);
  reverse_kernel<<<blocks, BLOCK, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
