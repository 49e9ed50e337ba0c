// Threads past the end leave before a barrier that the others wait at.
#include <cuda_runtime.h>

__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MENDED
  tile[threadIdx.x] = i < n ? in[i] : 0.0F;
  __syncthreads();
  if (i >= n) return;
#else
  if (i >= n) return;
  tile[threadIdx.x] = in[i];
  __syncthreads();  // finds: divergent-barrier
#endif
  out[i] = tile[threadIdx.x];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 100 * sizeof(float));
  cudaMalloc(&out, 100 * sizeof(float));
  cudaMemset(in, 0, 100 * sizeof(float));
  smooth<<<2, 64>>>(in, out, 100);
  cudaFree(in);
  cudaFree(out);
}
