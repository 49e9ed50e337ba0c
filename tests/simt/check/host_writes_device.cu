// The host stores through a pointer to the device's memory.
#include <cuda_runtime.h>

int main() {
  int* a;
  cudaMalloc(&a, sizeof(int));
#ifdef MENDED
  const int five = 5;
  cudaMemcpy(a, &five, sizeof(int), cudaMemcpyHostToDevice);
#else
  *a = 5;  // finds: host-access
#endif
  cudaFree(a);
}
