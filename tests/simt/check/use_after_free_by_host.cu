// The host reads managed memory that it has freed.
#include <cuda_runtime.h>

int main() {
  int* a;
  cudaMallocManaged(&a, 64 * sizeof(int));
  a[0] = 5;
#ifdef MENDED
  const int first = a[0];
  cudaFree(a);
#else
  cudaFree(a);
  const int first = a[0];  // finds: use-after-free
#endif
  return first == 5 ? 0 : 1;
}
