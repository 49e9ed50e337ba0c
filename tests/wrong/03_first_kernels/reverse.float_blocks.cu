// fails: launch
// says: the grid has as many blocks for
// Blocks are counted in float, whose 24 bits round half a billion pairs down.
#include "03_first_kernels/reverse.hpp"

#include <cmath>
#include <string>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

constexpr int BLOCK = 256;

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;  // the element in the middle of an odd n stays where it is
  const int j = n - 1 - i;
  const float front = x[i];
  x[i] = x[j];
  x[j] = front;
}

}  // namespace

void reverse(float* x, int n, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n < 2) return;

  const int blocks = static_cast<int>(std::ceil(n / 2 / static_cast<float>(BLOCK)));
  reverse_kernel<<<blocks, BLOCK, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
