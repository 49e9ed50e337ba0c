// The block before the last takes itself for the last one, and reads what that has yet to write.
// says: the read came first
// says: check what the result of the atomic at
// says not: give each block elements of its own
#include <cuda_runtime.h>

#ifdef MENDED
constexpr unsigned kOthers = 1;
#else
constexpr unsigned kOthers = 2;
#endif

__global__ void total(const float* in, float* partial, unsigned* tickets, float* out) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = in[blockIdx.x];  // finds: race
  __threadfence();
  if (atomicAdd(tickets, 1u) != gridDim.x - kOthers) return;
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
  cudaFree(in);
  cudaFree(partial);
  cudaFree(out);
  cudaFree(tickets);
}
