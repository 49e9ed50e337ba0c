// A warpgroup's threads use the sums of a product after it has begun and before the wait that
// covers it, which comes later: they read them, add to them, or wait for all groups but the one
// that matters.
//
// says: a register of the product that it started at
//
// says: before its sums are used
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kTile = 64 * 16;

__device__ std::uint64_t descriptor(const void* matrix) {
  const std::uint64_t at = static_cast<unsigned>(__cvta_generic_to_shared(matrix));
  return at >> 4 | std::uint64_t{1024 >> 4} << 16 | std::uint64_t{128 >> 4} << 32;
}

__device__ void fill(__half* tile) {
  for (int i = threadIdx.x; i < 2 * kTile; i += 128) tile[i] = __float2half(1.0f);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

/// D += A B, as a group of its own.
__device__ void add_product(float (&d)[4], const __half* tile) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(descriptor(tile)), "l"(descriptor(tile + kTile)));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int kPending>
__device__ void wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

__device__ void store(float* out, const float (&d)[4]) {
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = d[i];  // finds: uninitialised
}

__global__ void stores_first(float* out) {
  __shared__ alignas(128) __half tile[2 * kTile];
  fill(tile);
  float d[4] = {};
  add_product(d, tile);
#ifdef MENDED
  wait<0>();
  store(out, d);
#else
  store(out, d);
  wait<0>();
#endif
}

// Each product is added to by the next one while it is under way, as is right.
__global__ void waits_for_the_first(float* out) {
  __shared__ alignas(128) __half tile[2 * kTile];
  fill(tile);
  float d[4] = {}, other[4] = {};
  add_product(d, tile);
  add_product(d, tile);
  add_product(other, tile);
#ifdef MENDED
  wait<1>();
#else
  wait<2>();
#endif
  const float sum = d[0] + d[1];  // finds: uninitialised
  wait<0>();
  out[threadIdx.x] = sum + other[0];
}

__global__ void clears_too_early(float* out) {
  __shared__ alignas(128) __half tile[2 * kTile];
  fill(tile);
  float d[4] = {};
  for (int tiles = 0; tiles < 2; ++tiles) {
    add_product(d, tile);
#ifdef MENDED
    wait<0>();
#endif
    if (tiles == 0) d[3] = 0.0f;  // finds: race
  }
  wait<0>();
  out[threadIdx.x] = d[0] + d[3];
}

int main() {
  float* out;
  cudaMalloc(&out, 512 * sizeof(float));
  stores_first<<<2, 128>>>(out);
  waits_for_the_first<<<2, 128>>>(out);
  clears_too_early<<<2, 128>>>(out);
  cudaFree(out);
}
