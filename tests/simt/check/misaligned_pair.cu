// Pairs of floats that begin at an odd element.
#include <cuda_runtime.h>

__global__ void add_pairs(const float* in, float* out) {
  const auto* pairs = reinterpret_cast<const float2*>(in);
  const float2 pair = pairs[threadIdx.x];  // finds: misaligned
  out[threadIdx.x] = pair.x + pair.y;
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 66 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(in, 0, 66 * sizeof(float));
#ifdef MENDED
  add_pairs<<<1, 32>>>(in + 2, out);
#else
  add_pairs<<<1, 32>>>(in + 1, out);
#endif
  cudaFree(in);
  cudaFree(out);
}
