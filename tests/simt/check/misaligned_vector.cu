// A vector load needs an address that is a multiple of its size.
// says: an 8-byte access needs an address that is a multiple of 8: test the pointer first
#include <cuda_runtime.h>

__global__ void copy(const float* in, float2* out) {
  out[threadIdx.x] = *reinterpret_cast<const float2*>(in + 2 * threadIdx.x);  // finds: misaligned
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 80 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 80 * sizeof(float));
#ifdef MENDED
  copy<<<1, 32>>>(in + 2, reinterpret_cast<float2*>(out));
#else
  copy<<<1, 32>>>(in + 1, reinterpret_cast<float2*>(out));
#endif
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
