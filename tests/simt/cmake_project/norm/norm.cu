#include "norm.hpp"

__global__ static void add_squares(const float* values, int n, float* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, values[i] * values[i]);
}

float squared_norm(const float* values, int n) {
  float* sum = nullptr;
  cudaMallocManaged(&sum, sizeof(float));
  *sum = 0;
  add_squares<<<(n + 127) / 128, 128>>>(values, n, sum);
  cudaDeviceSynchronize();
  const float result = *sum;
  cudaFree(sum);
  return result;
}
