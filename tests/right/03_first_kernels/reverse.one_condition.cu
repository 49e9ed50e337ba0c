// A thread an element of the whole array; those of the second half have nothing to do.
#include "03_first_kernels/reverse.hpp"

#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch03 {
namespace {

__global__ void reverse_kernel(float* x, int n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long j = n - 1 - i;
  if (i < j) {
    const float a = x[i], b = x[j];
    x[i] = b;
    x[j] = a;
  }
}

}  // namespace

void reverse(float* x, int n, cudaStream_t stream) {
  if (n < 0) throw std::invalid_argument("n is negative");
  if (n <= 1) return;
  const unsigned blocks = (static_cast<unsigned>(n) + 511) / 512;
  reverse_kernel<<<blocks, 512, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
