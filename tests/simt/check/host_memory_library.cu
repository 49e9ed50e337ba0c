// Functions of CUDA's that use memory for a kernel, and it is the host's.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstring>

using namespace nvcuda;

__global__ void cached_load(const int* in, int* out) {
  *out = __ldg(in);  // finds: host-access
}
__global__ void streaming_store(int* out) {
  __stcg(out, 1);  // finds: host-access
}
__global__ void atomic_sum(int* sum) {
  atomicAdd(sum, 1);  // finds: host-access
}
__global__ void atomic_float_sum(float* sum) {
  atomicAdd(sum, 1.0F);  // finds: host-access
}
__global__ void fragment_load(const half* in, float* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::load_matrix_sync(a, in, 16);  // finds: host-access
  out[threadIdx.x] = __half2float(a.x[0]);
}
__global__ void fragment_store(float* out) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 1.0F);
  wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);  // finds: host-access
}
__global__ void asynchronous_copy(const float4* in, float4* out) {
  __shared__ float4 tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);  // finds: host-access
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void copied_bytes(const char* in, char* out) {
  std::memcpy(out, in, 32);  // finds: host-access
}
__global__ void of_instruction(const int* in, int* out) {
  int value;
  asm volatile("ld.global.s32 %0, [%1];" : "=r"(value) : "l"(in));  // finds: host-access
  *out = value;
}
__global__ void two_results(float* sine) {
  sincosf(1.0F, sine, sine + 1);  // finds: host-access
}

int main() {
  static char host[1024];
  char *device, *out;
  cudaMalloc(&device, sizeof(host));
  cudaMemset(device, 0, sizeof(host));
  cudaMalloc(&out, sizeof(host));
#ifdef MENDED
  char* p = device;
#else
  char* p = host;
#endif
  cached_load<<<1, 1>>>(reinterpret_cast<int*>(p), reinterpret_cast<int*>(out));
  streaming_store<<<1, 1>>>(reinterpret_cast<int*>(p));
  atomic_sum<<<1, 1>>>(reinterpret_cast<int*>(p));
  atomic_float_sum<<<1, 1>>>(reinterpret_cast<float*>(p));
  fragment_load<<<1, 32>>>(reinterpret_cast<half*>(p), reinterpret_cast<float*>(out));
  fragment_store<<<1, 32>>>(reinterpret_cast<float*>(p));
  asynchronous_copy<<<1, 32>>>(reinterpret_cast<float4*>(p), reinterpret_cast<float4*>(out));
  copied_bytes<<<1, 1>>>(p, out);
  of_instruction<<<1, 1>>>(reinterpret_cast<int*>(p), reinterpret_cast<int*>(out));
  two_results<<<1, 1>>>(reinterpret_cast<float*>(p));
  cudaDeviceSynchronize();
  cudaFree(device);
  cudaFree(out);
}
