// Threads of a block go through an array in steps that are too short: two own one element.
// says: put __syncthreads() between the two
// says: give each thread its own elements
#include <cuda_runtime.h>

__global__ void keep_positive(float* x, int n) {
#ifdef MENDED
  const int step = blockDim.x;
#else
  const int step = 32;
#endif
  for (int i = threadIdx.x; i < n; i += step) {
    if (x[i] < 0.0f) x[i] = 0.0f;  // finds: race
  }
}

int main() {
  float* x;
  float values[128];
  for (int i = 0; i < 128; ++i) values[i] = i % 2 == 0 ? 1.0f : -1.0f;
  cudaMalloc(&x, sizeof values);
  cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
  keep_positive<<<1, 64>>>(x, 128);
  cudaDeviceSynchronize();
  cudaFree(x);
}
