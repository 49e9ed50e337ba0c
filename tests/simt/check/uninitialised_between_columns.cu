// Libraries write what they say, and not what lies between the columns of a matrix.
#include <cublas_v2.h>
#include <cuda_runtime.h>

__global__ void sum(const float* c, const float* y, float* out, int rows) {
  float total = y[threadIdx.x];
  for (int i = 0; i < rows; ++i) total += c[threadIdx.x * 6 + i];  // finds: uninitialised
  out[threadIdx.x] = total;
}

int main() {
  constexpr int kRows = 5, kColumns = 4, kPitch = 6;
  float host[kRows * kColumns] = {}, one = 1;
  float *a, *b, *c, *y, *out;
  cudaMalloc(&a, sizeof(host));
  cudaMalloc(&b, sizeof(host));
  cudaMalloc(&c, kPitch * kColumns * sizeof(float));
  cudaMalloc(&y, kRows * sizeof(float));
  cudaMalloc(&out, kColumns * sizeof(float));
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetMatrix(kRows, kColumns, sizeof(float), host, kRows, a, kRows);
  cublasScopy(handle, kRows * kColumns, a, 1, b, 1);
  cublasSgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, kRows, kColumns, &one, a, kRows, &one, b, kRows, c,
              kPitch);
  cublasScopy(handle, kRows, c, -1, y, 1);
  float* largest;
  cudaMalloc(&largest, sizeof(float));
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  cublasSnrm2(handle, kRows, y, 1, largest);
  cublasSscal(handle, kRows, largest, y, 1);
#ifdef MENDED
  sum<<<1, kColumns>>>(c, y, out, kRows);
#else
  sum<<<1, kColumns>>>(c, y, out, kPitch);
#endif
  cudaDeviceSynchronize();
  cublasDestroy(handle);
  for (float* array : {a, b, c, y, out, largest}) cudaFree(array);
}
