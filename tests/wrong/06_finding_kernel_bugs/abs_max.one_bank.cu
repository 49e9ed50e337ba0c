// fails: budget
// says: 8 passes through the banks where 1 would do
// The maxima of the warps stay where they are found, 32 words apart: all in one bank.
#include "06_finding_kernel_bugs/abs_max.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

template <int BLOCK>
__global__ void abs_max_kernel(const float* x, int n, float* maxima) {
  constexpr int WARP = 32, WARPS = BLOCK / WARP;
  static_assert(BLOCK % WARP == 0 && (WARPS & (WARPS - 1)) == 0, "the trees halve");
  __shared__ float largest[BLOCK];

  const int tx = threadIdx.x, lane = tx % WARP;
  const int i = blockIdx.x * BLOCK + tx;

  largest[tx] = i < n ? fabsf(x[i]) : 0.0f;
  __syncwarp();

  // Each warp finds the maximum of its own elements, in place.
  for (int step = WARP / 2; step > 0; step /= 2) {
    if (lane < step) largest[tx] = fmaxf(largest[tx], largest[tx + step]);
    __syncwarp();
  }
  __syncthreads();

  // The first warp takes what the others found.
  if (tx < WARP) {
    float value = lane < WARPS ? largest[lane * WARP] : 0.0f;
    for (int step = WARPS / 2; step > 0; step /= 2) {
      value = fmaxf(value, __shfl_down_sync(0xFFFFFFFFu, value, step));
    }
    if (lane == 0) maxima[blockIdx.x] = value;
  }
}

}  // namespace

void abs_max(const float* x, int n, float* maxima, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"abs_max of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  abs_max_kernel<BLOCK><<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, n, maxima);
  check_launch();
}

}  // namespace tut::ch06
