// The element by its address.
#include "03_first_kernels/add_ten.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void add_ten_kernel(float* begin, const float* end) {
  float* const element = begin + (static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x);
  if (element < end) *element += 10.0f;
}

}  // namespace

void add_ten(float* x, int n, cudaStream_t stream) {
  require(n >= 0, "n is negative");
  if (n == 0) return;
  const unsigned blocks = static_cast<unsigned>(n) / 1024 + (n % 1024 != 0);
  add_ten_kernel<<<blocks, 1024, 0, stream>>>(x, x + n);
  check_launch();
}

}  // namespace tut::ch03
