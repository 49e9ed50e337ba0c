// The new value is chosen in a register; every element is written.
#include "03_first_kernels/clamp.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void into_range_kernel(float* x, std::int64_t n, float lo, float hi) {
  std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  while (i < n) {
    const float value = x[i];
    x[i] = value < lo ? lo : value > hi ? hi : value;
    i += gridDim.x * std::int64_t{256};
  }
}

}  // namespace

void clamp(float* x, std::int64_t n, float lo, float hi, int blocks, cudaStream_t stream) {
  require(n >= 0 && blocks >= 1 && lo <= hi, "expected n >= 0, blocks >= 1 and lo <= hi");
  if (n > 0) {
    into_range_kernel<<<blocks, 256, 0, stream>>>(x, n, lo, hi);
    check_launch();
  }
}

}  // namespace tut::ch03
