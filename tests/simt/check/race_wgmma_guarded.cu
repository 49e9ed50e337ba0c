// A product of wgmma under a predicate is followed as others are: where it is done, nobody touches
// its registers before its wait, and a fence stands behind their changes; where it is not, nothing
// is asked for.
// says: a register of the product that it started at
// says: a register of A of the product that it started at
// says: no wgmma.fence has come since the thread changed its sums
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kTile = 16 * 8;

__device__ std::uint64_t descriptor(const void* matrix) {
  const std::uint64_t at = static_cast<unsigned>(__cvta_generic_to_shared(matrix));
  return at >> 4 | std::uint64_t{128 >> 4} << 16 | std::uint64_t{128 >> 4} << 32;
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

/// D += A B where `on` says so.
__device__ void multiply_if(bool on, float (&d)[4], const unsigned (&a)[4], const __half* b) {
  asm volatile(  // finds: invalid-sync
      "{\n.reg .pred on;\nsetp.ne.b32 on, %9, 0;\n"
      "@on wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor(b)), "r"(int{on}));
}
/// And where `off` does not.
__device__ void multiply_unless(bool off, float (&d)[4], const unsigned (&a)[4], const __half* b) {
  asm volatile(
      "{\n.reg .pred off;\nsetp.ne.b32 off, %9, 0;\n"
      "@!off wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor(b)), "r"(int{off}));
}

__global__ void uses_sums(float* out, bool yes) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[4] = {};
  unsigned a[4] = {};
  fence();
  multiply_if(yes, d, a, tile);
#ifdef MENDED
  wait();
#endif
  out[threadIdx.x] = d[0];  // finds: uninitialised
  wait();
}

__global__ void changes_factor(float* out, bool yes) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[4] = {};
  unsigned a[4] = {};
  fence();
  multiply_unless(!yes, d, a, tile);
#ifdef MENDED
  wait();
#endif
  a[1] = threadIdx.x;  // finds: race
  wait();
  out[threadIdx.x] = d[0] + static_cast<float>(a[1]);
}

__global__ void clears_sums(float* out, bool yes) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[4] = {};
  unsigned a[4] = {};
  fence();
  for (int tiles = 0; tiles < 2; ++tiles) {
    multiply_if(yes, d, a, tile);
    wait();
    out[2 * threadIdx.x + tiles] = d[0];
    for (float& sum : d) sum = 0.0f;
#ifdef MENDED
    fence();
#endif
  }
}

// Nothing is multiplied: no register is anybody else's.
__global__ void does_not_multiply(float* out, bool yes) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[4] = {};
  unsigned a[4] = {};
  for (int i = 0; i < 2; ++i) {
    multiply_if(!yes, d, a, tile);
    multiply_unless(yes, d, a, tile);
    d[i] += 1.0f;
    a[i] += threadIdx.x;
  }
  out[threadIdx.x] = d[0] + static_cast<float>(a[1]);
}

int main() {
  float* out;
  cudaMalloc(&out, 256 * sizeof(float));
  uses_sums<<<1, 128>>>(out, true);
  changes_factor<<<1, 128>>>(out, true);
  clears_sums<<<1, 128>>>(out, true);
  does_not_multiply<<<1, 128>>>(out, true);
  cudaFree(out);
}
