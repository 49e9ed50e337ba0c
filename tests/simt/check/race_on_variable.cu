// Two calls count in one variable, each on a stream of its own: in which order they run is for
// their caller to choose, so each needs a counter of its own.
// says: updates finished, written by thread (0,0,0) of block (0,0,0) of kernel count
// says: finished is one variable that all calls share: keep its value in memory that the caller
// says not: use one stream
// says not: at byte 0
#include <cuda_runtime.h>

#ifndef MENDED
__device__ unsigned finished;
#endif

__global__ void count(unsigned* last, unsigned* counter) {
#ifdef MENDED
  unsigned& finished = *counter;
#endif
  if (atomicAdd(&finished, 1) != gridDim.x - 1) return;  // finds: race
  *last = blockIdx.x;
  finished = 0;  // finds: race
}

int main() {
  unsigned *counters, *last;
  cudaStream_t streams[2];
  cudaMalloc(&counters, 2 * sizeof(unsigned));
  cudaMalloc(&last, 2 * sizeof(unsigned));
  cudaMemset(counters, 0, 2 * sizeof(unsigned));
  for (int i = 0; i < 2; ++i) {
    cudaStreamCreate(&streams[i]);
    count<<<1, 1, 0, streams[i]>>>(last + i, counters + i);
  }
  cudaDeviceSynchronize();
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(counters);
  cudaFree(last);
}
