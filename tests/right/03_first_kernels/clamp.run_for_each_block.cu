// Each block has a run of the vector to itself, and walks along it; only what changes is written.
#include "03_first_kernels/clamp.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void clamp_kernel(float* x, std::int64_t n, std::int64_t run, float lo, float hi) {
  const std::int64_t begin = blockIdx.x * run;
  const std::int64_t end = begin + run < n ? begin + run : n;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const float value = x[i];
    if (value < lo) {
      x[i] = lo;
    } else if (value > hi) {
      x[i] = hi;
    }
  }
}

}  // namespace

void clamp(float* x, std::int64_t n, float lo, float hi, int blocks, cudaStream_t stream) {
  require(n >= 0, "n is negative");
  require(blocks >= 1, "there are no blocks");
  require(!(lo > hi), "lo is above hi");
  if (n == 0) return;
  const std::int64_t run = (n + blocks - 1) / blocks;
  clamp_kernel<<<blocks, 256, 0, stream>>>(x, n, (run + 255) / 256 * 256, lo, hi);
  check_launch();
}

}  // namespace tut::ch03
