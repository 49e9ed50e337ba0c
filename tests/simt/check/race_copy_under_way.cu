// A copy that nobody waits for brings its bytes when it likes. Memory that held something before,
// from an earlier copy or from stores, does not show that: the old values are there.
// says: reads stage[127], and the copy to it that thread (31,0,0) of block (0,0,0) started at
// says: reads stage[0], and the copy to it that the same thread started at
// says: writes stage[0], and the copy to it that the same thread started at
// says: has not been waited for [never_waited]
// says: and the copy to it that thread (31,0,0) of block (0,0,0) started at
// says: has not been waited for [too_many_allowed]
// says: let the thread that copies wait for its copy
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#ifdef MENDED
constexpr bool WAITS = true;
#else
constexpr bool WAITS = false;
#endif

__global__ void never_waited(const int4* in, int* out) {
  __shared__ alignas(16) int stage[128];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 4; ++i) stage[4 * thread + i] = 0;
  __syncthreads();
  __pipeline_memcpy_async(&stage[4 * thread], in + thread, sizeof(int4));
  __pipeline_commit();
  if (WAITS) __pipeline_wait_prior(0);
  __syncthreads();
  if (thread == 0) out[0] = stage[127];  // finds: race
  if (thread == 0) out[1] = stage[0];    // finds: race
  __syncthreads();
  if (thread == 0) stage[0] = 1;  // finds: race
}

// Of two stages in turn the one that is read must have come; the next may be under way.
__global__ void too_many_allowed(const int4* in, int* out) {
  __shared__ alignas(16) int4 stages[2][32];
  const int thread = static_cast<int>(threadIdx.x);
  stages[0][thread] = stages[1][thread] = int4{};
  __syncthreads();
  __pipeline_memcpy_async(&stages[0][thread], in + thread, sizeof(int4));
  __pipeline_commit();
  __pipeline_memcpy_async(&stages[1][thread], in + 32 + thread, sizeof(int4));
  __pipeline_commit();
  __pipeline_wait_prior(WAITS ? 1 : 2);
  __syncthreads();
  int sum = stages[0][31 - thread].x;  // finds: race
  __pipeline_wait_prior(0);            // finds: race
  __syncthreads();
  out[thread] = sum + stages[1][31 - thread].x;
}

int main() {
  int4* in;
  int* out;
  cudaMalloc(&in, 64 * sizeof(int4));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int4));
  never_waited<<<1, 32>>>(in, out);
  too_many_allowed<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
