// The mistake is in the call, and the access in a function of another file: both are named.
// says: misaligned_in_helper.cuh:6: error: misaligned
// says: misaligned_in_helper.cu:15: note: called from here
#include "misaligned_in_helper.cuh"

#include <cuda_runtime.h>

#ifdef MENDED
constexpr int WIDTH = 2;
#else
constexpr int WIDTH = 1;
#endif

__global__ void pairs(const float* in, float* out) {
  const float2 x = load_pair(in + WIDTH * threadIdx.x);
  out[threadIdx.x] = x.x + x.y;
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  pairs<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
