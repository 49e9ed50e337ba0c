// Threads arrive at a cuda::barrier and read a neighbour's element without waiting.
#include <cuda_runtime.h>

#include <cuda/barrier>
#include <utility>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void shift(int* out) {
  __shared__ Barrier barrier;
  __shared__ int values[64];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  auto token = barrier.arrive();
#ifdef MENDED
  barrier.wait(std::move(token));
  out[threadIdx.x] = values[(threadIdx.x + 1) % 64];
#else
  out[threadIdx.x] = values[(threadIdx.x + 1) % 64];  // finds: race
  barrier.wait(std::move(token));
#endif
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  shift<<<1, 64>>>(out);
  cudaFree(out);
}
