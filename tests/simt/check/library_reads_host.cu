// A vector of the host's is handed to the library as it is.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <vector>

int main() {
  std::vector<float> x(16, 1.0F);
  const float two = 2;
  float *device, *y;
  cudaMalloc(&device, 16 * sizeof(float));
  cudaMalloc(&y, 16 * sizeof(float));
  cudaMemcpy(device, x.data(), 16 * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(y, 0, 16 * sizeof(float));
  cublasHandle_t handle;
  cublasCreate(&handle);
#ifdef MENDED
  const float* from = device;
#else
  const float* from = x.data();
#endif
  cublasSaxpy(handle, 16, &two, from, 1, y, 1);  // finds: host-access
  cublasDestroy(handle);
  cudaFree(device);
  cudaFree(y);
}
