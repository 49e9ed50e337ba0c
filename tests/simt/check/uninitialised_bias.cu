// The product is right, and the bias that its epilogue adds was never copied.
#include <cublasLt.h>
#include <cuda_runtime.h>

__global__ void halve(float* d) { d[threadIdx.x] /= 2; }

int main() {
  constexpr int kSide = 8, kBytes = kSide * kSide * sizeof(float);
  float *a, *d, *bias;
  cudaMalloc(&a, kBytes);
  cudaMalloc(&d, kBytes);
  cudaMalloc(&bias, kSide * sizeof(float));
  cudaMemset(a, 0, kBytes);
#ifdef MENDED
  cudaMemset(bias, 0, kSide * sizeof(float));
#endif
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t desc;
  cublasLtMatrixLayout_t layout;
  cublasLtCreate(&handle);
  cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, kSide, kSide, kSide);
  const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
  const float one = 1, zero = 0;
  cublasLtMatmul(  // finds: uninitialised
      handle, desc, &one, a, layout, a, layout, &zero, d, layout, d, layout, nullptr, nullptr, 0,
      nullptr);
  halve<<<1, kSide * kSide>>>(d);
  cudaDeviceSynchronize();
  cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulDescDestroy(desc);
  cublasLtDestroy(handle);
  cudaFree(a);
  cudaFree(d);
  cudaFree(bias);
}
