// The default stream does not wait for a non-blocking one: the copy may come before the kernel.
#include <cuda_runtime.h>

__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  int* a;
  int host[64];
  cudaStream_t stream;
  cudaMalloc(&a, sizeof(host));
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemset(a, 0, sizeof(host));
  cudaDeviceSynchronize();
  fill<<<1, 64, 0, stream>>>(a);
#ifdef MENDED
  cudaStreamSynchronize(stream);
#endif
  cudaMemcpy(host, a, sizeof(host), cudaMemcpyDeviceToHost);  // finds: race
  cudaStreamDestroy(stream);
  cudaFree(a);
}
