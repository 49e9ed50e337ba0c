// A race that gdb_test.py meets in the debugger: the barrier of the loop is missing.
#include <cuda_runtime.h>

__global__ void sum(const float* in, float* out) {
  __shared__ float part[64];
  const int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
  }
  if (t == 0) *out = part[0];
}

int main() {
  float *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(float));
  cudaMallocManaged(&out, sizeof(float));
  for (int i = 0; i < 64; ++i) in[i] = 1;
  sum<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
