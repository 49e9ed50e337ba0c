// Each thread waits for its own cp.async, and reads what another one has copied.
// says: cp.async.wait_group waits only for the copies of its own thread: put
// says not: between the two
#include <cuda_runtime.h>

__global__ void turn(const float* in, float* out) {
  __shared__ float tile[64];
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(own), "l"(in + threadIdx.x)
               : "memory");
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
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
