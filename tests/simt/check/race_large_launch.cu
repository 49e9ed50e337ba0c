// A grid of more threads than an int counts, and a stride that has gone around: the launch is told.
// says: [fill<<<16777217, 256>>>]
// says: this launch has 2^31 threads or more: count threads
// says: [next]
#include <cuda_runtime.h>

#include <cstdint>

extern "C" void simt_run_ends(std::uint64_t blocks);

__global__ void fill(float* x, std::int64_t n) {
#ifdef MENDED
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
#else
  const std::int64_t stride = gridDim.x * blockDim.x;
#endif
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    x[i] = 2 * x[i];  // finds: race
  }
}

__global__ void next(float* x) {
#ifdef MENDED
  x[threadIdx.x] = x[threadIdx.x] + 1;
#else
  x[threadIdx.x] = x[threadIdx.x ^ 32] + 1;  // finds: race
#endif
}

int main() {
  float* x;
  cudaMalloc(&x, 1024 * sizeof(float));
  cudaMemset(x, 0, 1024 * sizeof(float));
  simt_run_ends(4);
  fill<<<16777217, 256>>>(x, 1024);
  next<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
