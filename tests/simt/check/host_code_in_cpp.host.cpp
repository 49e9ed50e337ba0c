#include <cuda_runtime.h>

void launch_fill(int* out);

int main() {
  int* values;
  cudaMalloc(&values, 32 * sizeof(int));
  launch_fill(values);
  int third = 0;
#ifdef MENDED
  cudaMemcpy(&third, values + 3, sizeof(int), cudaMemcpyDeviceToHost);
#else
  third = values[3];  // finds: host-access
#endif
  cudaFree(values);
  return third == 3 ? 0 : 1;
}
