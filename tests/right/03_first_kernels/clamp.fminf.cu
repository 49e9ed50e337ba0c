// fminf and fmaxf, which leave NaN out, behind a question for NaN.
#include "03_first_kernels/clamp.hpp"

#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch03 {
namespace {

__device__ float moved(float value, float lo, float hi) {
  return isnan(value) ? value : fminf(fmaxf(value, lo), hi);
}

__global__ void clamp_kernel(float* x, long long n, float lo, float hi) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = threadIdx.x + static_cast<long long>(blockIdx.x) * blockDim.x; i < n;
       i += threads) {
    x[i] = moved(x[i], lo, hi);
  }
}

}  // namespace

void clamp(float* x, std::int64_t n, float lo, float hi, int blocks, cudaStream_t stream) {
  if (n < 0 || blocks < 1 || lo > hi) throw std::invalid_argument("clamp: no such range");
  if (n == 0) return;
  clamp_kernel<<<blocks, 256, 0, stream>>>(x, n, lo, hi);
  check_launch();
}

}  // namespace tut::ch03
