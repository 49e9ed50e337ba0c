// Volatile makes the sums seen; it does not order them before the tickets.
// says: no __threadfence() stands between what a block writes and the atomic at
// says not: let only one thread write each element
#include <cuda_runtime.h>

__global__ void total(const float* in, volatile float* partial, unsigned* tickets, float* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) partial[blockIdx.x] = in[blockIdx.x];
  if (threadIdx.x == 0) {
#ifdef MENDED
    __threadfence();
#endif
    last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  float sum = 0.0f;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += partial[i];
  *out = sum;
  *tickets = 0;  // finds: race
}

int main() {
  float *in, *partial, *out;
  unsigned* tickets;
  cudaMalloc(&in, 32 * sizeof(float));
  cudaMalloc(&partial, 32 * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMalloc(&tickets, sizeof(unsigned));
  cudaMemset(in, 0, 32 * sizeof(float));
  cudaMemset(tickets, 0, sizeof(unsigned));
  total<<<8, 32>>>(in, partial, tickets, out);
  cudaFree(in);
  cudaFree(partial);
  cudaFree(out);
  cudaFree(tickets);
}
