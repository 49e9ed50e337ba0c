// The tile has the 128 elements of the block; what lies beside it is read by whom it concerns.
#include "06_finding_kernel_bugs/smooth.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void smooth_kernel(const float* x, int n, float* out) {
  __shared__ float tile[128];
  const int tx = threadIdx.x, i = blockIdx.x * 128 + tx;
  if (i < n) tile[tx] = x[i];
  __syncthreads();
  if (i >= n) return;
  const float left = i == 0 ? tile[0] : tx > 0 ? tile[tx - 1] : x[i - 1];
  const float right = i == n - 1 ? tile[tx] : tx < 127 ? tile[tx + 1] : x[i + 1];
  out[i] = (left + right) / 4 + tile[tx] / 2;
}

}  // namespace

void smooth(const float* x, int n, float* out, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;
  smooth_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, n, out);
  check_launch();
}

}  // namespace tut::ch06
