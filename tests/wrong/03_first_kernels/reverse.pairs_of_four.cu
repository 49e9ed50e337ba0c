// fails: misaligned
// Takes the array to begin at a multiple of 16 bytes, and swaps four elements at a time.
#include "03_first_kernels/reverse.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n % 8 == 0) {
    if (i >= n / 8) return;
    float4* const fours = reinterpret_cast<float4*>(x);
    const float4 left = fours[i], right = fours[n / 4 - 1 - i];
    fours[i] = make_float4(right.w, right.z, right.y, right.x);
    fours[n / 4 - 1 - i] = make_float4(left.w, left.z, left.y, left.x);
    return;
  }
  if (i >= n / 2) return;
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
  blocks = ceil_div(n / 2, BLOCK);
  reverse_kernel<<<blocks, BLOCK, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
