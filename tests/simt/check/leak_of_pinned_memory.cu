// Pinned memory given to the wrong function, whose error nobody looks at.
#include <cuda_runtime.h>

int main() {
  int* values;
  cudaMallocHost(&values, 4096);  // finds: leak
#ifdef MENDED
  cudaFreeHost(values);
#else
  cudaFree(values);  // finds: unchecked-error
#endif
}
