// Nobody copies the second factor to the device. What the product writes is written.
#include <cublas_v2.h>
#include <cuda_runtime.h>

__global__ void scale(float* c) { c[threadIdx.x] *= 2; }

int main() {
  constexpr int kSide = 8, kBytes = kSide * kSide * sizeof(float);
  float host[kSide * kSide] = {}, one = 1, zero = 0;
  float *a, *b, *c;
  cudaMalloc(&a, kBytes);
  cudaMalloc(&b, kBytes);
  cudaMalloc(&c, kBytes);
  cudaMemcpy(a, host, kBytes, cudaMemcpyHostToDevice);
#ifdef MENDED
  cudaMemcpy(b, host, kBytes, cudaMemcpyHostToDevice);
#endif
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSgemm(  // finds: uninitialised
      handle, CUBLAS_OP_N, CUBLAS_OP_N, kSide, kSide, kSide, &one, a, kSide, b, kSide, &zero, c,
      kSide);
  scale<<<1, kSide * kSide>>>(c);
  cudaDeviceSynchronize();
  cublasDestroy(handle);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
// says: cublas_gemm reads
