// A flag that was set after a fence in one launch, and without one in the next.
#include <cuda_runtime.h>

__global__ void tell(volatile int* ready, int* data, int value, bool fence) {
  *data = value;
  if (fence) __threadfence_system();
  *ready = value;
}

int main() {
#ifdef MENDED
  constexpr bool always = true;
#else
  constexpr bool always = false;
#endif
  int *ready, *data;
  cudaMallocHost(&ready, sizeof(int));
  cudaMallocHost(&data, sizeof(int));
  *ready = 0;
  bool right = true;
  for (int value = 1; value <= 2; ++value) {
    tell<<<1, 1>>>(ready, data, value, value == 1 || always);
    while (*static_cast<volatile int*>(ready) != value) {
    }
    right = *data == value && right;  // finds: race
    cudaDeviceSynchronize();
  }
  cudaFreeHost(ready);
  cudaFreeHost(data);
  return right ? 0 : 1;
}
