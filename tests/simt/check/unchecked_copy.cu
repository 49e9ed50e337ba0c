// A copy of more bytes than there are: nothing is copied, and what the kernel then reads was never
// written. The copy is told first.
#include <cuda_runtime.h>

// says in turn: cudaMemcpy failed
// says in turn: uninitialised

__global__ void add(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x] + 1;  // finds: uninitialised
}

static void cudaCheck() {
  if (cudaGetLastError() == cudaSuccess) __builtin_abort();
}

int main() {
  int host[32] = {};
  int *in, *out;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
#ifdef MENDED
  cudaMemcpy(in, host, 32 * sizeof(int), cudaMemcpyHostToDevice);
  (void)cudaMemcpy(in, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(in, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
  cudaCheck();
  const cudaError_t error = cudaMemcpy(in, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
  if (error == cudaSuccess) return 1;
  add<<<1, 32>>>(in, out);
#else
  cudaMemcpy(in, host, 64 * sizeof(int), cudaMemcpyHostToDevice);  // finds: unchecked-error
  add<<<1, 32>>>(in, out);
#endif
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
