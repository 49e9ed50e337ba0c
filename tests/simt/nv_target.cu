// <nv/target> chooses code for the host or the device, though nothing else of the source asks for
// __CUDA_ARCH__.
// needs: sm_80
#include <nv/target>

#include "expect.cuh"

__host__ __device__ int where() {
  NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return 1;), (return 2;))
  return 0;
}

// Commas of the code are not the macro's.
__host__ __device__ int which() {
  NV_DISPATCH_TARGET(NV_NO_TARGET, (return 3;), NV_PROVIDES_SM_80,
                     (int a = 80, b = 0; return a + b;), NV_IS_DEVICE, (return 1;), NV_ANY_TARGET,
                     (return 2;))
  return 0;
}

__host__ __device__ int only() {
  int x = 5;
  NV_IF_TARGET(NV_IS_HOST, x += 1;)
  NV_IF_TARGET(NV_NO_TARGET, (x = 0;), (x += 10;))
  NV_DISPATCH_TARGET(NV_NO_TARGET, (x = 0;), NV_IS_HOST, (x += 100;))
  return x;
}

__global__ void ask(int* out) {
  out[0] = where();
  out[1] = which();
  out[2] = only();
}

int main() {
  expect("where, on the host", where(), 2);
  expect("which, on the host", which(), 2);
  expect("only, on the host", only(), 116);
  int* out = nullptr;
  cudaMallocManaged(&out, 3 * sizeof(int));
  ask<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  expect("where, on the device", out[0], 1);
  expect("which, on the device", out[1], 80);
  expect("only, on the device", out[2], 15);
  cudaFree(out);
  return report();
}
