// A pointer that is used for a second allocation loses the first.
#include <cuda_runtime.h>

int main() {
  int* values;
  cudaMallocManaged(&values, 4096);  // finds: leak
#ifdef MENDED
  cudaFree(values);
#endif
  cudaMallocManaged(&values, 8192);
  cudaFree(values);
}
