#include <cuda_runtime_api.h>

#include <vector>

#include "norm.hpp"

int main() {
  const std::vector<float> values(100, 3.0f);
  void* device = nullptr;
  cudaMalloc(&device, values.size() * sizeof(float));
  cudaMemcpy(device, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  const float norm = squared_norm(static_cast<const float*>(device), 100);
  cudaFree(device);
  return norm == 900 ? 0 : 1;
}
