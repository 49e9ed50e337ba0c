// One kernel, launched for two counts: whoever has the odd one reads lanes that are not there.
#include <cuda_runtime.h>

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) {
    v += __shfl_xor_sync(0xFFFFFFFFU, v, d);  // finds: invalid-sync
  }
  return v;
}

__global__ void norm(const float* in, float* out, unsigned count) {
  const unsigned t = threadIdx.x;
#ifdef MENDED
  const float sum = warp_sum(t < count ? in[t] * in[t] : 0.0F);
  if (t == 0) *out = sum;
#else
  if (t < count) {
    const float sum = warp_sum(in[t] * in[t]);
    if (t == 0) *out = sum;
  }
#endif
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 32 * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMemset(in, 0, 32 * sizeof(float));
  for (unsigned i = 0; i < 3; ++i) norm<<<1, 32>>>(in, out, 32);
  norm<<<1, 32>>>(in, out, 31);
  cudaFree(in);
  cudaFree(out);
}
