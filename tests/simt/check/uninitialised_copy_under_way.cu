// A tile is read before anybody has waited for its copies: nothing says that they are done.
// says: which the copy started at
// says: that copy has not been waited for
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void reverse(const float* in, float* out) {
  __shared__ float tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(float));
  __pipeline_commit();
#ifdef MENDED
  __pipeline_wait_prior(0);
#endif
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // finds: uninitialised
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  reverse<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
