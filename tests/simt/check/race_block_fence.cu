// The fence before the ticket is one for the block; the reader is in another.
// says: the fence before the atomic at
// says: orders only what its own block sees, as __threadfence_block() does: use
#include <cuda_runtime.h>

__device__ unsigned tickets;

__device__ void fence() {
#ifdef MENDED
  __threadfence();
#else
  __threadfence_block();
#endif
}

__global__ void total(int* partial, int* out) {
  partial[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
  fence();
  __syncthreads();
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(&tickets, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  int sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) {
    sum += partial[i * 32 + threadIdx.x];  // finds: race
  }
  out[threadIdx.x] = sum;
}

int main() {
  int *partial, *out;
  cudaMalloc(&partial, 4 * 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  total<<<4, 32>>>(partial, out);
  cudaFree(partial);
  cudaFree(out);
}
