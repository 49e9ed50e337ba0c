// The pointer is the host's own.
#include <cuda_runtime.h>

#include <vector>

__global__ void twice(const int* in, int* out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];  // finds: host-access
}

int main() {
  std::vector<int> host(32, 1);
  int *in, *out;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemcpy(in, host.data(), 32 * sizeof(int), cudaMemcpyHostToDevice);
#ifdef MENDED
  twice<<<1, 32>>>(in, out);
#else
  twice<<<1, 32>>>(host.data(), out);
#endif
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
