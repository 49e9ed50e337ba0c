// The product runs in a stream of its own, and nothing makes it wait for the kernel before, nor the
// kernel after wait for it.
#include <cublas_v2.h>
#include <cuda_runtime.h>

__global__ void fill(float* a) { a[threadIdx.x] = threadIdx.x; }
__global__ void scale(float* c) {
  c[threadIdx.x] *= 2;  // finds: race
}

int main() {
  constexpr int kSide = 8, kBytes = kSide * kSide * sizeof(float);
  const float one = 1, zero = 0;
  float *a, *c;
  cudaMalloc(&a, kBytes);
  cudaMalloc(&c, kBytes);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetStream(handle, stream);
  fill<<<1, kSide * kSide>>>(a);
#ifdef MENDED
  cudaEvent_t filled, multiplied;
  cudaEventCreate(&filled);
  cudaEventCreate(&multiplied);
  cudaEventRecord(filled);
  cudaStreamWaitEvent(stream, filled);
#endif
  cublasSgemm(  // finds: race
      handle, CUBLAS_OP_N, CUBLAS_OP_N, kSide, kSide, kSide, &one, a, kSide, a, kSide, &zero, c,
      kSide);
#ifdef MENDED
  cudaEventRecord(multiplied, stream);
  cudaStreamWaitEvent(nullptr, multiplied);
#endif
  scale<<<1, kSide * kSide>>>(c);
  cudaDeviceSynchronize();
  cublasDestroy(handle);
  cudaStreamDestroy(stream);
  cudaFree(a);
  cudaFree(c);
}
// says: which cublas_gemm in another stream writes
