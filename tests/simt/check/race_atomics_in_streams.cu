// Kernels in two streams add to one sum by atomics, which is no race. But who reads the sum has to
// wait for both, and not for the one that happened to add last.
#include <cuda_runtime.h>

__global__ void add(int* sum) { atomicAdd(sum, 1); }

__global__ void read(const int* sum, int* out) {
  *out = *sum;  // finds: race
}

int main() {
  int *sum, *shared_sum, *out;
  cudaMalloc(&sum, sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMallocManaged(&shared_sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  *shared_sum = 0;
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  add<<<4, 64, 0, one>>>(sum);
  add<<<4, 64, 0, one>>>(shared_sum);
  add<<<4, 64, 0, two>>>(sum);
  add<<<4, 64, 0, two>>>(shared_sum);
#ifdef MENDED
  cudaStreamSynchronize(one);
#endif
  read<<<1, 1, 0, two>>>(sum, out);
  int copy = 0;
  cudaMemcpyAsync(&copy, sum, sizeof(int), cudaMemcpyDeviceToHost, two);  // finds: race
  cudaStreamSynchronize(two);
  const int result = *shared_sum;  // finds: race
  cudaDeviceSynchronize();
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFree(sum);
  cudaFree(out);
  cudaFree(shared_sum);
  return result == 512 ? 0 : 1;
}
