// Several threads write one element, each another value: no barrier mends that.
// says: let only one thread write each element: thread (0,0,0) of block (0,0,0) and thread (1,0,0)
// says: both write out[0]; check the index, or use an atomic
#include <cuda_runtime.h>

__global__ void first_of_pair(int* out) {
#ifdef MENDED
  if (threadIdx.x % 2 == 0)
#endif
    out[threadIdx.x / 2] = static_cast<int>(threadIdx.x);  // finds: race
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  first_of_pair<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
