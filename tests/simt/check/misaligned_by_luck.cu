// Vectors in shared arrays of numbers: without alignas these lie where the compiler puts them,
// which may be a multiple of 16 bytes today.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#ifdef MENDED
#define ALIGNED alignas(16)
#else
#define ALIGNED
#endif

struct Pair {
  float a, b;
};

__global__ void rows(const float4* in, float* out) {
  __shared__ ALIGNED float tile[8][36];
  *reinterpret_cast<float4*>(&tile[threadIdx.x][4]) = in[threadIdx.x];  // finds: misaligned
  out[threadIdx.x] = tile[threadIdx.x][5];
}
__global__ void halves(const half* in, half* out) {
  __shared__ ALIGNED half tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const half2 two = reinterpret_cast<const half2*>(tile)[threadIdx.x / 2];  // finds: misaligned
  out[threadIdx.x] = two.x;
}
__global__ void asynchronous(const float* in, float* out) {
  __shared__ ALIGNED float tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x * 4], in + threadIdx.x * 4, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);  // finds: misaligned
  out[threadIdx.x] = tile[threadIdx.x * 4];
}

// Right: vectors and structs as such, dynamic memory, elements one by one.
__global__ void right(const float4* in, float* out) {
  __shared__ float4 vectors[8];
  __shared__ Pair pairs[8];
  __shared__ float tile[8][4];
  extern __shared__ float dynamic[];
  vectors[threadIdx.x] = in[threadIdx.x];
  pairs[threadIdx.x] = Pair{1, 2};
  const Pair pair = pairs[threadIdx.x];
  reinterpret_cast<float4*>(dynamic)[threadIdx.x] = vectors[threadIdx.x];
  for (int i = 0; i < 4; ++i) tile[threadIdx.x][i] = dynamic[threadIdx.x * 4 + i];
  out[threadIdx.x] = tile[threadIdx.x][1] + pair.b;
}

// Right: a copy by a group is as wide as the addresses allow that it finds.
__global__ void by_group(const float* in, float* out) {
  __shared__ float tile[32];
  const auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, tile, in, sizeof(tile));
  cooperative_groups::wait(block);
  out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  char *in, *out;
  cudaMalloc(&in, 1024);
  cudaMalloc(&out, 1024);
  cudaMemset(in, 0, 1024);
  rows<<<1, 8>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float*>(out));
  halves<<<1, 64>>>(reinterpret_cast<half*>(in), reinterpret_cast<half*>(out));
  asynchronous<<<1, 8>>>(reinterpret_cast<float*>(in), reinterpret_cast<float*>(out));
  right<<<1, 8, 128>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float*>(out));
  by_group<<<1, 8>>>(reinterpret_cast<float*>(in), reinterpret_cast<float*>(out));
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
