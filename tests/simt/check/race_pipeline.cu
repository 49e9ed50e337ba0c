// Each thread waits for its own asynchronous copy, and reads what another one has copied.
// says: __pipeline_wait_prior() waits only for the copies of its own thread: put
// says not: between the two
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void turn(const float* in, float* out) {
  __shared__ float tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
#ifdef MENDED
  __syncthreads();
#endif
  out[threadIdx.x] = tile[63 - threadIdx.x];  // finds: race
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  turn<<<1, 64>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
