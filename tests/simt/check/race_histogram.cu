// Threads of a block that count in one array, each by reading, adding and writing.
#include <cuda_runtime.h>

__global__ void histogram(const int* in, int* out) {
  __shared__ int count[4];
  if (threadIdx.x < 4) count[threadIdx.x] = 0;
  __syncthreads();
#ifdef MENDED
  atomicAdd(&count[in[threadIdx.x] % 4], 1);
#else
  // says: or use an atomic if both are meant to add to it
  count[in[threadIdx.x] % 4] += 1;  // finds: race
#endif
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = count[threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 128 * sizeof(int));
  cudaMalloc(&out, 4 * sizeof(int));
  cudaMemset(in, 0, 128 * sizeof(int));
  histogram<<<1, 128>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
