// The kernel gets the end of an allocation: what it is told is counted from there.
// says: writes out[2], just past the end of its 8 bytes [fill]
// says: reads 4 bytes before the beginning of out, which nothing has written
#include <cuda_runtime.h>

__global__ void fill(float* out, int n) {
  const int i = threadIdx.x;
#ifdef MENDED
  if (i >= n) return;
  out[i] = n;
#else
  out[i] = n;       // finds: out-of-bounds
#endif
}

__global__ void look(const float* out, float* seen) {
#ifdef MENDED
  *seen = out[0];
#else
  *seen = out[-1];  // finds: uninitialised
#endif
}

int main() {
  float *all, *seen;
  cudaMalloc(&all, 3 * sizeof(float));
  cudaMalloc(&seen, sizeof(float));
  cudaMemset(all + 1, 0, 2 * sizeof(float));
  look<<<1, 1>>>(all + 1, seen);
  cudaDeviceSynchronize();
  fill<<<1, 3>>>(all + 1, 2);
  cudaDeviceSynchronize();
  cudaFree(all);
  cudaFree(seen);
}
