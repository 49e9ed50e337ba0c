// fails: budget
// says: loads touch 16 sectors
// Gives each thread a run of neighbours: the threads of a warp are far from each other.
#include "03_first_kernels/clamp.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void clamp_kernel(float* x, std::int64_t n, float lo, float hi) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t run = (n + threads - 1) / threads;
  const std::int64_t first = run * (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x);

  for (std::int64_t i = first; i < n && i < first + run; ++i) {
    if (x[i] < lo) x[i] = lo;
    if (x[i] > hi) x[i] = hi;
  }
}

}  // namespace

void clamp(float* x, std::int64_t n, float lo, float hi, int blocks, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  require(blocks >= 1, {"blocks is ", blocks, "; expected at least 1"});
  require(lo <= hi, {"lo is ", lo, ", hi is ", hi, "; expected lo not above hi"});
  if (n == 0) return;

  clamp_kernel<<<blocks, BLOCK, 0, stream>>>(x, n, lo, hi);
  check_launch();
}

}  // namespace tut::ch03
