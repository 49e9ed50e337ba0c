// Neighbours come from the neighbouring lanes; the lanes at the edges of a warp load theirs.
#include "06_finding_kernel_bugs/smooth.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void smooth_kernel(const float* x, int n, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const float here = x[min(i, n - 1)];
  float left = __shfl_up_sync(0xffffffff, here, 1);
  float right = __shfl_down_sync(0xffffffff, here, 1);
  if (lane == 0 && i < n) left = x[max(i - 1, 0)];
  if (lane == 31 && i < n) right = x[min(i + 1, n - 1)];
  if (i < n) out[i] = (left + 2.0f * here + right) / 4.0f;
}

}  // namespace

void smooth(const float* x, int n, float* out, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;
  smooth_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, n, out);
  check_launch();
}

}  // namespace tut::ch06
