// The barrier at the end of the loop is missing: a fast warp overwrites what a slow one still
// reads. There is a barrier between the two lines: it is the loop that has none at its end.
// says: with no barrier between, most likely from one iteration of a loop to the next [sums]
// says: put __syncthreads() between the two, at the end of the loop
#include <cuda_runtime.h>

__global__ void sums(const int* in, int* out, int rounds) {
  __shared__ int stage[64];
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    stage[threadIdx.x] = in[round * 64 + threadIdx.x];  // finds: race
    __syncthreads();
    sum += stage[63 - threadIdx.x];
#ifdef MENDED
    __syncthreads();
#endif
  }
  out[threadIdx.x] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 256 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 0, 256 * sizeof(int));
  sums<<<1, 64>>>(in, out, 4);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
