// The border of the tile is never written.
// says: the block has written other elements, such as row[1]: compare this index with the one that
#include <cuda_runtime.h>

__global__ void blur(const float* in, float* out) {
  __shared__ float row[34];
  row[threadIdx.x + 1] = in[threadIdx.x];
#ifdef MENDED
  if (threadIdx.x == 0) row[0] = row[33] = 0.0f;
#endif
  __syncthreads();
  const int i = threadIdx.x;
  out[i] = row[i] + row[i + 1] + row[i + 2];  // finds: uninitialised
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 32 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(in, 0, 32 * sizeof(float));
  blur<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
