// Here cudaDeviceReset ends a sticky error, and what was allocated before is gone. On an H200 with
// driver 580 the device stayed unavailable to the process.
// reports: memcheck, because a kernel fails on purpose
#include "expect.cuh"

__global__ void trap_in_one(int thread) {
  if (static_cast<int>(threadIdx.x) == thread) __trap();
}

__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  trap_in_one<<<3, 64>>>(-1);
  expect("no thread traps", cudaDeviceSynchronize(), cudaSuccess);
  trap_in_one<<<3, 64>>>(50);
  const cudaError_t trapped = cudaDeviceSynchronize();
  expect("a trap is an error",
         trapped == cudaErrorLaunchFailure || trapped == cudaErrorIllegalInstruction, true);
  expect("which stays", cudaDeviceSynchronize(), trapped);
  cudaDeviceReset();
  cudaGetLastError();
  int* out = nullptr;
  int host[64] = {};
  const cudaError_t allocated = cudaMalloc(&out, sizeof(host));
  expect_here("cudaMalloc", allocated, cudaSuccess);
  if (allocated != cudaSuccess) return report();
  fill<<<1, 64>>>(out);
  expect("copy", cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost), cudaSuccess);
  expect("the last value", host[63], 63);
  expect("free", cudaFree(out), cudaSuccess);
  return report();
}
