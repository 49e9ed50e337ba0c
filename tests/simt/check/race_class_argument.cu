// A value of a class goes from shared memory straight into a function.
#include <cuda_runtime.h>

__device__ __noinline__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

__global__ void turn(const float4* in, float* out) {
  __shared__ float4 tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
#ifdef MENDED
  __syncthreads();
#endif
  const unsigned other = 63 - threadIdx.x;
  out[threadIdx.x] = sum_of(tile[other]);  // finds: race
}

int main() {
  float4* in;
  float* out;
  cudaMalloc(&in, 64 * sizeof(float4));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float4));
  turn<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
