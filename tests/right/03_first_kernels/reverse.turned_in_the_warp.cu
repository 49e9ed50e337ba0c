// A warp loads 32 elements from either end, turns both round by shuffles, and stores them in a row.
#include "03_first_kernels/reverse.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void reverse_kernel(float* x, int n) {
  const int pairs = n / 2, lane = threadIdx.x % 32;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int begin = i - lane;  // of the warp
  if (begin >= pairs) return;
  const int count = min(32, pairs - begin);
  const int from_right = n - begin - count + lane;
  float left = 0.0f, right = 0.0f;
  if (lane < count) {
    left = x[i];
    right = x[from_right];
  }
  const int other = lane < count ? count - 1 - lane : lane;
  left = __shfl_sync(0xffffffff, left, other);
  right = __shfl_sync(0xffffffff, right, other);
  if (lane < count) {
    x[i] = right;
    x[from_right] = left;
  }
}

}  // namespace

void reverse(float* x, int n, cudaStream_t stream) {
  require(n >= 0, "an array has no negative length");
  if (n < 2) return;
  reverse_kernel<<<(n / 2 + 255) / 256, 256, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
