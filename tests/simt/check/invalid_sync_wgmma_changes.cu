// A warpgroup changes registers of its products, or the shape, and multiplies again without a
// wgmma.fence between.
//
// says: no wgmma.fence has come since the thread changed its sums
//
// says: no wgmma.fence has come since the thread changed its registers of A
//
// says: a product of shape m64n16k16 wrote its sums
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kTile = 16 * 16;

__device__ std::uint64_t descriptor(const void* matrix) {
  const std::uint64_t at = static_cast<unsigned>(__cvta_generic_to_shared(matrix));
  return at >> 4 | std::uint64_t{128 >> 4} << 16 | std::uint64_t{256 >> 4} << 32;
}

__device__ void fill(__half* tile) {
  for (int i = threadIdx.x; i < kTile; i += 128) tile[i] = __float2half(1.0f);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void wait() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

/// D += A B for 8 columns, A in registers.
__device__ void multiply(float (&d)[8], const unsigned (&a)[4], const __half* b) {
  asm volatile(  // finds: invalid-sync
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor(b)));
}
/// The same for 16 columns.
__device__ void multiply_wide(float (&d)[8], const unsigned (&a)[4], const __half* b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, %12, 1, 1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor(b)));
}

__device__ void store(float* out, const float (&d)[8]) {
  for (int i = 0; i < 8; ++i) out[8 * threadIdx.x + i] = d[i];
}

__global__ void clears_sums(float* out) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[8] = {};
  unsigned a[4] = {};
  fence();
  for (int tiles = 0; tiles < 2; ++tiles) {
    multiply(d, a, tile);
    multiply(d, a, tile);
    wait();
    store(out, d);
    for (float& sum : d) sum = 0.0f;
#ifdef MENDED
    fence();
#endif
  }
}

__global__ void loads_a(const unsigned* in, float* out) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[8] = {};
  unsigned a[4];
#ifndef MENDED
  fence();
#endif
  for (int step = 0; step < 2; ++step) {
    for (int i = 0; i < 4; ++i) a[i] = in[4 * step + i];
#ifdef MENDED
    fence();
#endif
    multiply(d, a, tile);
    wait();
  }
  store(out, d);
}

__global__ void changes_shape(float* out) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[8] = {};
  unsigned a[4] = {};
  fence();
  multiply_wide(d, a, tile);
#ifdef MENDED
  fence();
#endif
  multiply(d, a, tile);
  wait();
  store(out, d);
}

// Sums of other products, and other variables, change as they like.
__global__ void changes_others(float* out) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[8] = {}, e[8] = {};
  unsigned a[4] = {};
  volatile int steps = 0;
  fence();
  multiply_wide(d, a, tile);
  multiply(e, a, tile);
  wait();
  for (float& sum : d) sum *= 2.0f;
  for (int step = 0; step < 3; ++step) {
    multiply(e, a, tile);
    steps = steps + 1;
  }
  wait();
  store(out, d);
  store(out, e);
}

int main() {
  unsigned* in;
  float* out;
  cudaMalloc(&in, 8 * sizeof(unsigned));
  cudaMalloc(&out, 1024 * sizeof(float));
  cudaMemset(in, 0, 8 * sizeof(unsigned));
  clears_sums<<<2, 128>>>(out);
  loads_a<<<2, 128>>>(in, out);
  changes_shape<<<2, 128>>>(out);
  changes_others<<<2, 128>>>(out);
  cudaFree(in);
  cudaFree(out);
}
