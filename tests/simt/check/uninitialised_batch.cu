// Each product of the batch is added to a C that nobody set: beta should be 0.
#include <cublas_v2.h>
#include <cuda_runtime.h>

__global__ void scale(float* c) { c[threadIdx.x] *= 2; }

int main() {
  constexpr int kSide = 4, kCount = 3, kSize = kSide * kSide * kCount;
  float *a, *c;
  cudaMalloc(&a, kSize * sizeof(__half));
  cudaMalloc(&c, kSize * sizeof(float));
  cudaMemset(a, 0, kSize * sizeof(__half));
#ifdef MENDED
  const float one = 1, beta = 0;
#else
  const float one = 1, beta = 1;
#endif
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasGemmStridedBatchedEx(  // finds: uninitialised
      handle, CUBLAS_OP_N, CUBLAS_OP_T, kSide, kSide, kSide, &one, a, CUDA_R_16F, kSide,
      kSide * kSide, a, CUDA_R_16F, kSide, kSide * kSide, &beta, c, CUDA_R_32F, kSide,
      kSide * kSide, kCount, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  scale<<<1, kSize>>>(c);
  cudaDeviceSynchronize();
  cublasDestroy(handle);
  cudaFree(a);
  cudaFree(c);
}
