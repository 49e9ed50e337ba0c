// A fill of device memory returns before it is done, and a non-blocking stream does not wait for
// it.
#include <cuda_runtime.h>

__global__ void count_up(int* out) {
  out[threadIdx.x] += 1;  // finds: race
}

int main() {
  int* a;
  cudaStream_t stream;
#ifdef MENDED
  cudaStreamCreate(&stream);  // waits for the default stream
#else
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
#endif
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMemset(a, 0, 64 * sizeof(int));
  count_up<<<1, 64, 0, stream>>>(a);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(a);
}
