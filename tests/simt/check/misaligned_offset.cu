// Four elements at once from an array that begins where they may: each thread's place does not.
// says: in[0] lies at one, so go through the array in steps of 4 elements
// says not: test the pointer first
#include <cuda_runtime.h>

__global__ void copy(const float* in, float4* out) {
#ifdef MENDED
  const unsigned first = 4 * threadIdx.x;
#else
  const unsigned first = threadIdx.x;
#endif
  out[threadIdx.x] = *reinterpret_cast<const float4*>(in + first);  // finds: misaligned
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 128 * sizeof(float));
  cudaMalloc(&out, 128 * sizeof(float));
  cudaMemset(in, 0, 128 * sizeof(float));
  copy<<<1, 32>>>(in, reinterpret_cast<float4*>(out));
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
