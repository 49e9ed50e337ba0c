// Two barriers are missing at two places: the one that comes first in the kernel is told of first,
// though the threads that run first meet the other; each has its cure.
// says in turn: race_two_barriers_missing.cu:17: error
// says in turn: race_two_barriers_missing.cu:17: note: put __syncthreads() between the two
// says in turn: race_two_barriers_missing.cu:22: error
// says in turn: race_two_barriers_missing.cu:22: note: put __syncthreads() between the two
#include <cuda_runtime.h>

__global__ void two_steps(const int* in, int* out) {
  __shared__ int first[64], second[64];
  first[threadIdx.x] = in[threadIdx.x];
#ifdef MENDED
  __syncthreads();
#endif
  // The last thread is the only one to read another's element here.
  const int other = threadIdx.x == 63 ? 0 : static_cast<int>(threadIdx.x);
  second[threadIdx.x] = first[other] + 1;  // finds: race
#ifdef MENDED
  __syncthreads();
#endif
  // All of these read an element that comes before.
  out[threadIdx.x] = second[threadIdx.x == 0 ? 63 : threadIdx.x - 1];  // finds: race
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  two_steps<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
