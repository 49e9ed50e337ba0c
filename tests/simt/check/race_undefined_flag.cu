// Who comes last is said only where it is so: the others read what nothing has written.
// says: reads is_last
// says not: the read came first
#include <cuda_runtime.h>

__global__ void total(const float* in, float* partial, unsigned* tickets, float* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    const unsigned ticket = atomicAdd(tickets, 1u);
#ifdef MENDED
    is_last = ticket == gridDim.x - 1;
#else
    if (ticket == gridDim.x - 1) is_last = true;
#endif
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;  // finds: uninitialised
  float sum = 0.0f;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += partial[i];
  *out = sum;
}

int main() {
  float *in, *partial, *out;
  unsigned* tickets;
  cudaMalloc(&in, 8 * sizeof(float));
  cudaMalloc(&partial, 8 * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMalloc(&tickets, sizeof(unsigned));
  cudaMemset(in, 0, 8 * sizeof(float));
  cudaMemset(partial, 0, 8 * sizeof(float));
  cudaMemset(tickets, 0, sizeof(unsigned));
  total<<<8, 32>>>(in, partial, tickets, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(partial);
  cudaFree(out);
  cudaFree(tickets);
}
