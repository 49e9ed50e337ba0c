// fails: budget
// says: threads use memory
// A warp needs no shared memory, no barrier and no tree that could go wrong, so one warp goes
// through all blocks of x: no bug is left, and no other warp works.
#include "06_finding_kernel_bugs/abs_max.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

constexpr int WARP = 32;

template <int BLOCK>
__global__ void abs_max_kernel(const float* x, int n, float* maxima) {
  const int lane = threadIdx.x;
  for (int block = 0; block < ceil_div(n, BLOCK); ++block) {
    const float* stretch = x + block * BLOCK;
    const int size = min(n - block * BLOCK, BLOCK);
    float largest = 0.0f;
    for (int i = lane; i < size; i += WARP) largest = fmaxf(largest, fabsf(stretch[i]));
    for (int step = WARP / 2; step > 0; step /= 2) {
      largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, step));
    }
    if (lane == 0) maxima[block] = largest;
  }
}

}  // namespace

void abs_max(const float* x, int n, float* maxima, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"abs_max of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  abs_max_kernel<BLOCK><<<1, WARP, 0, stream>>>(x, n, maxima);
  check_launch();
}

}  // namespace tut::ch06
