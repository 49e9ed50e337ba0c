// What one thread says of the block is read before it is said: some threads leave, and others wait.
// says in turn: reads is_empty[0]
// says in turn: ended without reaching this barrier
#include <cuda_runtime.h>

__global__ void sum(const float* in, float* out, int n) {
  __shared__ bool is_empty;
  __shared__ float all[64];
  if (threadIdx.x == 32) is_empty = static_cast<int>(blockIdx.x) * 64 >= n;
#ifdef MENDED
  __syncthreads();
#endif
  if (is_empty) return;  // finds: race
  all[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();  // finds: divergent-barrier
  if (threadIdx.x == 32) out[blockIdx.x] = all[63];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 128 * sizeof(float));
  cudaMalloc(&out, 2 * sizeof(float));
  cudaMemset(in, 0, 128 * sizeof(float));
  sum<<<2, 64>>>(in, out, 64);
  cudaFree(in);
  cudaFree(out);
}
