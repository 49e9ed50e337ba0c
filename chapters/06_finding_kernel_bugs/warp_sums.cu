#include "06_finding_kernel_bugs/cooperation.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

//! [kernel]
__global__ void warp_sums_kernel(const float* x, int n, float* sums) {
  constexpr unsigned ALL_LANES = 0xFFFFFFFFu;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;

  float sum = i < n ? x[i] : 0.0f;  // a lane without an element takes part with 0
  for (int k = 16; k > 0; k /= 2) {
    sum += __shfl_down_sync(ALL_LANES, sum, k);  // add the sum of the lane k places higher
  }
  if (lane == 0 && i < n) sums[i / 32] = sum;
}
//! [kernel]

}  // namespace

void warp_sums(const float* x, int n, float* sums, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"warp_sums of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  warp_sums_kernel<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, n, sums);
  check_launch();
}

}  // namespace tut::ch06
