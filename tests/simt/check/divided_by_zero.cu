// A division of whole numbers by 0 ends the kernel: the line is told.
// says: simt: integer division by zero or overflow at
// says: divided_by_zero.cu:16 in kernel divide
#include <cuda_runtime.h>

__global__ void divide(int* out, const int* by) {
#ifdef MENDED
  const int before = 0;
  if (by[0] == 0) {
    out[0] = before;
    return;
  }
#else
  const int before = out[0];  // finds: uninitialised
#endif
  out[0] = before + 100 / by[0];
}

int main() {
  int *out, *by;
  cudaMalloc(&out, sizeof(int));
  cudaMalloc(&by, sizeof(int));
  cudaMemset(by, 0, sizeof(int));
  divide<<<1, 1>>>(out, by);
  cudaDeviceSynchronize();
  cudaFree(out);
  cudaFree(by);
}
