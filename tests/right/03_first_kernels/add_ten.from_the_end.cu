// The first thread has the last element.
#include "03_first_kernels/add_ten.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void add_ten_kernel(float* x, int n) {
  const int i = n - 1 - static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= 0) x[i] += 10.0f;
}

}  // namespace

void add_ten(float* x, int n, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n > 0) {
    add_ten_kernel<<<ceil_div(n, 128), 128, 0, stream>>>(x, n);
    check_launch();
  }
}

}  // namespace tut::ch03
