// In a grid of more threads than an int counts a number has gone below 0: the launch is told.
// says: [fill<<<16777216, 256>>>]
// says: this launch has 2^31 threads or more: count threads
#include <cuda_runtime.h>

#include <cstdint>

extern "C" void simt_run_ends(std::uint64_t blocks);

__global__ void fill(float* x, std::int64_t n) {
#ifdef MENDED
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
#else
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#endif
  if (i < n) x[i] = 2;  // finds: out-of-bounds
}

int main() {
  float *before, *x;
  cudaMalloc(&before, 4096 * sizeof(float));
  cudaMalloc(&x, 4096 * sizeof(float));
  simt_run_ends(2);
  fill<<<16777216, 256>>>(x, 4096);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(before);
}
