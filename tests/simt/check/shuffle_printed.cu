// What a lane that has ended gives is printed, and nothing else is done with it.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void tell() {
  const unsigned lane = threadIdx.x;
  if (lane == 3) return;
#ifdef MENDED
  const unsigned from = 4;
#else
  const unsigned from = 3;
#endif
  const unsigned found = __shfl_sync(0xFFFFFFFFU, lane, from);  // finds: invalid-sync
  if (lane == 0) printf("%u\n", found);
}

int main() {
  tell<<<1, 32>>>();
  cudaDeviceSynchronize();
}
