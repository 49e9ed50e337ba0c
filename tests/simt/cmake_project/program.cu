// Everything that this project brings together: the same pointer and the same errors in a shared
// library, a static one and the program.
#include <cublas_v2.h>

#include <cstdio>

#include "device_code.cuh"
#include "norm.hpp"
#include "scale.hpp"

static_assert(__cplusplus >= 201703L);

__global__ void fill(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = offset_of(i);
}

int main() {
  constexpr int n = 300;
  float* values = nullptr;
  cudaMalloc(&values, n * sizeof(float));
  fill<<<3, 128>>>(values, n);
  set_factor(2);
  scale(values, n);  // now values[i] is i
  const float norm = squared_norm(values, n);

  cublasHandle_t handle = nullptr;
  cublasCreate(&handle);
  float dot = 0;
  cublasSdot(handle, n, values, 1, values, 1, &dot);
  cublasDestroy(handle);

  int called = 0;
  cudaMemcpyFromSymbol(&called, calls, sizeof(called));
  cudaFree(values);
  const float expected = (n - 1) * n * (2 * n - 1) / 6;
  const bool right = norm == expected && dot == expected && called == n;
  const cudaError_t error = cudaGetLastError();
  std::printf("%g %g %d: %s\n", norm, dot, called, cudaGetErrorString(error));
  return right && error == cudaSuccess ? 0 : 1;
}
