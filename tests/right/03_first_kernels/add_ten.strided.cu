// A grid-stride loop over a grid of few blocks.
#include "03_first_kernels/add_ten.hpp"

#include <algorithm>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void add_ten_kernel(float* x, long long n) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += threads) {
    x[i] += 10.0f;
  }
}

}  // namespace

void add_ten(float* x, int n, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;
  add_ten_kernel<<<std::min((n - 1) / 256 + 1, 1024), 256, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
