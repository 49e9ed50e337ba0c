// fails: budget
// says: loads touch 32 sectors
// Neighbouring threads swap pairs that lie 32 pairs from each other.
#include "03_first_kernels/reverse.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void reverse_kernel(float* x, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int columns = (n / 2 + 31) / 32;
  const int i = thread % columns * 32 + thread / columns;
  if (thread >= columns * 32 || i >= n / 2) return;
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
  blocks = ceil_div(ceil_div(n / 2, 32) * 32, BLOCK);
  reverse_kernel<<<blocks, BLOCK, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
