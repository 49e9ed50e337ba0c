// A warp takes 256 elements, eight a lane, from the last 32 to the first.
#include "06_finding_kernel_bugs/suffix_sums.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

constexpr int WARP = 32, PART = 256, BLOCK = 256;
constexpr unsigned ALL_LANES = 0xFFFFFFFFu;

__global__ void suffix_sums_kernel(const int* x, int n, int* out) {
  const int lane = threadIdx.x % WARP;
  const int part = blockIdx.x * (BLOCK / WARP) + threadIdx.x / WARP;
  int behind = 0;  // the sum of the runs to the right
  for (int run = PART / WARP - 1; run >= 0; --run) {
    const int i = part * PART + run * WARP + lane;
    int sum = i < n ? x[i] : 0;
    for (int step = 1; step < WARP; step *= 2) {
      const int right = __shfl_down_sync(ALL_LANES, sum, step);
      if (lane + step < WARP) sum += right;
    }
    sum += behind;
    if (i < n) out[i] = sum;
    behind = __shfl_sync(ALL_LANES, sum, 0);
  }
}

}  // namespace

void suffix_sums(const int* x, int n, int* out, cudaStream_t stream) {
  require(n >= 0, {"suffix_sums of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  suffix_sums_kernel<<<ceil_div(n, PART * BLOCK / WARP), BLOCK, 0, stream>>>(x, n, out);
  check_launch();
}

}  // namespace tut::ch06
