// A factor is freed while the product has not been made.
#include <cublas_v2.h>
#include <cuda_runtime.h>

int main() {
  constexpr int kSide = 8, kBytes = kSide * kSide * sizeof(double);
  const double one = 1, zero = 0;
  double *a, *b, *c;
  cudaMalloc(&a, kBytes);
  cudaMalloc(&b, kBytes);
  cudaMalloc(&c, kBytes);
  cudaMemset(a, 0, kBytes);
  cudaMemset(b, 0, kBytes);
  cublasHandle_t handle;
  cublasCreate(&handle);
#ifndef MENDED
  cudaFree(b);
#endif
  cublasDgemm(  // finds: use-after-free
      handle, CUBLAS_OP_N, CUBLAS_OP_N, kSide, kSide, kSide, &one, a, kSide, b, kSide, &zero, c,
      kSide);
#ifdef MENDED
  cudaFree(b);
#endif
  cublasDestroy(handle);
  cudaFree(a);
  cudaFree(c);
}
