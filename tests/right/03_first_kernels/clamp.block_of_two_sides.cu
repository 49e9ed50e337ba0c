// A block of two sides, which has 256 threads, too.
#include "03_first_kernels/clamp.hpp"

#include <string>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

constexpr int LANES = 32, WARPS = 8, TILE = LANES * WARPS;

// Blocks go through tiles of 256 elements, a warp to each row of 32; only what changes is written.
__global__ void __launch_bounds__(TILE)
    clamp_kernel(float* x, std::int64_t n, std::int64_t tiles, float lo, float hi) {
  const int place = static_cast<int>(threadIdx.y) * LANES + static_cast<int>(threadIdx.x);
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t i = tile * TILE + place;
    if (i >= n) return;  // the last tile's rest; no tile comes after it

    float* const element = x + i;
    const float value = *element;
    if (value < lo) {
      *element = lo;
    } else if (value > hi) {
      *element = hi;
    }
  }
}

}  // namespace

void clamp(float* x, std::int64_t n, float lo, float hi, int blocks, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  require(blocks >= 1, {"blocks is ", blocks, "; expected at least 1"});
  require(lo <= hi, {"lo is ", lo, ", hi is ", hi, "; expected lo not above hi"});
  if (n == 0) return;

  const std::int64_t tiles = ceil_div(n, std::int64_t{TILE});
  const dim3 grid(static_cast<unsigned>(blocks)), block(LANES, WARPS);
  clamp_kernel<<<grid, block, 0, stream>>>(x, n, tiles, lo, hi);
  check_launch();
}

}  // namespace tut::ch03
