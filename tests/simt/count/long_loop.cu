// More than what is kept of a warp: what came so far is counted before the last lanes have run,
// which makes two requests of one. The report says so. Nothing is lost.
#include <cuda_runtime.h>

// clang-format off
__global__ void long_loop(const float* in, float* out, int rounds) {
  float sum = 0;
  for (int i = 0; i < rounds; ++i) sum += in[(i + threadIdx.x) % 1024];  // counts: global_load lanes=19200000 requests=1200000
  out[threadIdx.x] = sum;  // counts: global_store lanes=32 requests=2
}

// Not too much for one warp; each is counted when it has ended.
__global__ void many_warps(const float* in, float* out, int rounds) {
  float sum = 0;
  for (int i = 0; i < rounds; ++i) sum += in[(i + threadIdx.x) % 1024];  // counts: global_load lanes=38400000 requests=1200000
  out[threadIdx.x] = sum;  // counts: global_store lanes=384 requests=12
}
// clang-format on

int main() {
  float *in, *out;
  cudaMalloc(&in, 1024 * sizeof(float));
  cudaMalloc(&out, 1024 * sizeof(float));
  cudaMemset(in, 0, 1024 * sizeof(float));
  long_loop<<<1, 32>>>(in, out, 600000);
  many_warps<<<1, 384>>>(in, out, 100000);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(in);
  cudaFree(out);
  return ok ? 0 : 1;
}
