// Memory of the device that nobody frees.
#include <cuda_runtime.h>

int main() {
  float* values;
  cudaMalloc(&values, 100 * sizeof(float));  // finds: leak
  cudaMemset(values, 0, 100 * sizeof(float));
#ifdef MENDED
  cudaFree(values);
#endif
}
