// The host waits for a flag in pinned memory, and the kernel has no fence before it.
#include <cuda_runtime.h>

__global__ void tell(volatile int* ready, int* data) {
  *data = 42;
#ifdef MENDED
  __threadfence_system();
#endif
  *ready = 1;
}

int main() {
  int *ready, *data;
  cudaMallocHost(&ready, sizeof(int));
  cudaMallocHost(&data, sizeof(int));
  *ready = 0;
  tell<<<1, 1>>>(ready, data);
  while (*static_cast<volatile int*>(ready) == 0) {
  }
  const bool right = *data == 42;  // finds: race
  cudaDeviceSynchronize();
  cudaFreeHost(ready);
  cudaFreeHost(data);
  return right ? 0 : 1;
}
