// A sum over 20 threads by shuffles that name the whole warp: lanes 20 to 31 have nothing to give.
#include <cuda_runtime.h>

__global__ void sum(const float* in, float* out) {
  const unsigned t = threadIdx.x;
#ifdef MENDED
  float v = t < 20 ? in[t] : 0.0F;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xFFFFFFFFU, v, d);
  if (t == 0) *out = v;
#else
  if (t < 20) {
    float v = in[t];
    for (int d = 16; d > 0; d /= 2) {
      v += __shfl_down_sync(0xFFFFFFFFU, v, d);  // finds: invalid-sync
    }
    if (t == 0) *out = v;
  }
#endif
}
// says: thread (4,0,0) of block (0,0,0), lane 4, reads the value of lane 20, which has ended

int main() {
  float *in, *out;
  cudaMalloc(&in, 20 * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMemset(in, 0, 20 * sizeof(float));
  sum<<<1, 32>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
