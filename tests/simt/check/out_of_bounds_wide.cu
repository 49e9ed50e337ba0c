// Two elements at once, of an array with an odd number of them.
// says: reads 8 bytes from in[8] on, of which 4 lie past its end
// says: check the last element of the vector against the size, not only the first
// says not: compute the index from the memory
#include <cuda_runtime.h>

__global__ void sum_pairs(const float* in, int n, float* out) {
  const int i = 2 * threadIdx.x;
#ifdef MENDED
  if (i + 1 >= n) return;
#endif
  if (i >= n) return;
  const float2 pair = *reinterpret_cast<const float2*>(in + i);  // finds: out-of-bounds
  out[threadIdx.x] = pair.x + pair.y;
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 9 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(in, 0, 9 * sizeof(float));
  sum_pairs<<<1, 32>>>(in, 9, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
