#include "03_first_kernels/clamp.hpp"

#include <string>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void clamp_kernel(float* x, std::int64_t n, float lo, float hi) {
  //! [hole-range]
  // Where does this thread start, and how far is it to its next element? Compute in 64 bits.
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  //! [hole-range]

  //! [hole-loop]
  // Visit this thread's elements. NaN compares false with everything: let that work for you.
  for (std::int64_t i = first; i < n; i += stride) {
    if (x[i] < lo) x[i] = lo;
    if (x[i] > hi) x[i] = hi;
  }
  //! [hole-loop]
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
