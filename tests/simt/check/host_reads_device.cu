// The result is read where it lies.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void one(int* out) { *out = 1; }

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  one<<<1, 1>>>(out);
  cudaDeviceSynchronize();
#ifdef MENDED
  int value;
  cudaMemcpy(&value, out, sizeof(int), cudaMemcpyDeviceToHost);
#else
  const int value = *out;  // finds: host-access
#endif
  std::printf("%d\n", value);
  cudaFree(out);
}
