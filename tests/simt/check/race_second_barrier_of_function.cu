// The barrier at the end of the loop is missing, and what reads is a function that the compiler did
// not inline. Whichever of the two accesses comes first, in the source there are barriers between.
// says: most likely from one iteration of a loop to the next [read_then_write]
// says: most likely from one iteration of a loop to the next [write_then_read]
// says: put __syncthreads() between the two, at the end of the loop
// says: with no barrier between [first_barrier]
#include <cuda_runtime.h>

__device__ __noinline__ int read(const int* stage, int i) { return stage[i]; }  // finds: race

__global__ void read_then_write(const int* in, int* out, int rounds) {
  __shared__ int stage[64];
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    stage[threadIdx.x] = in[round * 64 + threadIdx.x];  // finds: race
    __syncthreads();
    sum += read(stage, threadIdx.x ^ 1);
    __syncthreads();
    sum += read(stage, threadIdx.x ^ 63);
#ifdef MENDED
    __syncthreads();
#endif
  }
  out[threadIdx.x] = sum;
}

// The threads that write come before those that read.
__global__ void write_then_read(const int* in, int* out, int rounds) {
  __shared__ int stage[64];
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x < 32) stage[threadIdx.x] = in[round * 64 + threadIdx.x];  // finds: race
    __syncthreads();
    if (threadIdx.x >= 32) sum += read(stage, threadIdx.x - 32);
#ifdef MENDED
    __syncthreads();
#endif
  }
  out[threadIdx.x] = sum;
}

__global__ void first_barrier(const int* in, int* out) {
  __shared__ int stage[64];
  stage[threadIdx.x] = in[threadIdx.x];  // finds: race
#ifdef MENDED
  __syncthreads();
#endif
  out[threadIdx.x] = read(stage, threadIdx.x ^ 63);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 256 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 0, 256 * sizeof(int));
  read_then_write<<<1, 64>>>(in, out, 4);
  write_then_read<<<1, 64>>>(in, out, 4);
  first_barrier<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
