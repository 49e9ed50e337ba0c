// The leading dimension of C is that of another matrix.
#include <cublas_v2.h>
#include <cuda_runtime.h>

int main() {
  constexpr int kRows = 6, kColumns = 8;
#ifdef MENDED
  constexpr int kPitch = kRows;
#else
  constexpr int kPitch = kColumns;
#endif
  const float one = 1, zero = 0;
  float *a, *c;
  cudaMalloc(&a, kColumns * kColumns * sizeof(float));
  cudaMalloc(&c, kRows * kColumns * sizeof(float));
  cudaMemset(a, 0, kColumns * kColumns * sizeof(float));
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSgemm(  // finds: out-of-bounds
      handle, CUBLAS_OP_N, CUBLAS_OP_N, kRows, kColumns, kColumns, &one, a, kColumns, a, kColumns,
      &zero, c, kPitch);
  cublasDestroy(handle);
  cudaFree(a);
  cudaFree(c);
}
