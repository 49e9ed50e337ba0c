// Values of classes that go to functions and come from them without a name of their own.
#include <cuda_runtime.h>

__device__ __noinline__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

__device__ __noinline__ float4 four_times(float4 v) {
  return make_float4(4 * v.x, 4 * v.y, 4 * v.z, 4 * v.w);
}

__device__ __noinline__ float4 ramp(int start) {
  return make_float4(start, start + 1, start + 2, start + 3);
}

// clang-format off
__global__ void pass(const float4* in, float4* out, float* sums) {
  const int t = threadIdx.x;
  out[t] = ramp(t);  // counts: global_store requests=1 sectors=16
  sums[t] = sum_of(in[t]);  // counts: global_load requests=1 sectors=16; global_store requests=1 sectors=4
  out[t] = four_times(in[t]);  // counts: global_load requests=1 sectors=16; global_store requests=1 sectors=16
  const float four = sum_of(in[t]);  // counts: global_load requests=1 sectors=16
  sums[t] = four;  // counts: global_store requests=1 sectors=4
}
// clang-format on

int main() {
  float4 *in, *out;
  float* sums;
  cudaMalloc(&in, 32 * sizeof(float4));
  cudaMalloc(&out, 32 * sizeof(float4));
  cudaMalloc(&sums, 32 * sizeof(float));
  cudaMemset(in, 0, 32 * sizeof(float4));
  pass<<<1, 32>>>(in, out, sums);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  cudaFree(sums);
}
