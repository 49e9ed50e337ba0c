#include "03_first_kernels/saxpy.hpp"

#include <algorithm>
#include <string>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

//! [kernel]
__global__ void saxpy_kernel(float alpha, const float* x, float* y, std::int64_t n) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;  // threads in the grid
  for (std::int64_t i = first; i < n; i += stride) y[i] = alpha * x[i] + y[i];
}
//! [kernel]

std::int64_t resident_blocks(std::int64_t blocks_per_multiprocessor) {
  int device = 0;
  int multiprocessors = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return blocks_per_multiprocessor * multiprocessors;
}

}  // namespace

void saxpy(float alpha, const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;

  //! [launch]
  // 8 blocks of 256 threads fill the 2048 places of a multiprocessor; more would only queue.
  const std::int64_t blocks = std::min(ceil_div(n, BLOCK), resident_blocks(8));
  saxpy_kernel<<<static_cast<unsigned>(blocks), BLOCK, 0, stream>>>(alpha, x, y, n);
  //! [launch]
  check_launch();
}

}  // namespace tut::ch03
