// A null pointer used in a kernel: the launch succeeds, synchronising reports error 700, and so
// does every call after it.
// reports: memcheck, because a kernel follows a null pointer
#include "expect.cuh"

__global__ void store(int* out, bool really) {
  if (really) out[threadIdx.x] = 1;  // finds: out-of-bounds
}

int main() {
  // Nearly null where UndefinedBehaviorSanitizer would itself stop a store to null.
#ifdef __SANITIZE_ADDRESS__
  int* bad = reinterpret_cast<int*>(16);
#else
  int* bad = nullptr;
#endif
  int* good = nullptr;
  expect("cudaMalloc", cudaMalloc(&good, 32 * sizeof(int)), cudaSuccess);
  store<<<2, 32>>>(good, true);
  expect("a good kernel", cudaDeviceSynchronize(), cudaSuccess);
  store<<<2, 32>>>(bad, false);
  expect("a pointer that is not used", cudaDeviceSynchronize(), cudaSuccess);
  store<<<2, 32>>>(bad, true);
  expect("a bad kernel", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  expect("last error", cudaGetLastError(), cudaErrorIllegalAddress);
  expect("the error stays", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  int host[32];
  expect("copy", cudaMemcpy(host, good, sizeof(host), cudaMemcpyDeviceToHost),
         cudaErrorIllegalAddress);
  int* more = nullptr;
  expect("allocate", cudaMalloc(&more, 4), cudaErrorIllegalAddress);
  expect("free", cudaFree(good), cudaErrorIllegalAddress);
  store<<<1, 32>>>(good, true);
  expect("launch", cudaGetLastError(), cudaErrorIllegalAddress);
  return report();
}
