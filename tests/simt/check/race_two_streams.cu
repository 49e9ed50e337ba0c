// A kernel reads what a kernel in another stream writes.
// says: use one stream, or make one stream wait for the other with cudaEventRecord
// says not: is one variable that all calls share
#include <cuda_runtime.h>

__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }

__global__ void twice(const int* in, int* out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];  // finds: race
}

int main() {
  int *a, *b;
  cudaStream_t first, second;
  cudaEvent_t filled;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMalloc(&b, 64 * sizeof(int));
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEventCreate(&filled);
  cudaMemset(a, 0, 64 * sizeof(int));
  fill<<<1, 64, 0, first>>>(a);
  cudaEventRecord(filled, first);
#ifdef MENDED
  cudaStreamWaitEvent(second, filled);
#endif
  twice<<<1, 64, 0, second>>>(a, b);
  cudaDeviceSynchronize();
  cudaEventDestroy(filled);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(a);
  cudaFree(b);
}
