// What a wgmma reads of shared memory goes through the banks as 8 lines of 16 bytes at a time. In
// every layout that a descriptor has, these lie in different banks.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kSwizzleNone = 0, kSwizzle128 = 1, kSwizzle64 = 2, kSwizzle32 = 3;

__device__ std::uint64_t descriptor(const void* matrix, int leading, int stride, int swizzle) {
  const std::uint64_t at = static_cast<unsigned>(__cvta_generic_to_shared(matrix));
  return at >> 4 | static_cast<std::uint64_t>(leading >> 4) << 16 |
         static_cast<std::uint64_t>(stride >> 4) << 32 | static_cast<std::uint64_t>(swizzle) << 62;
}
__device__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void end() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// clang-format off
template <int kTransposed>
__device__ void multiply(float (&d)[4], std::uint64_t a, std::uint64_t b) {
  begin();
  asm volatile(  // counts: shared_load requests=25 wavefronts=90 bank_conflicts=0
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, %6, %6;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "n"(kTransposed));
  end();
}
// clang-format on

// A has 64 rows of 16 elements, B 8: rows of 32 bytes for the swizzle of 32 bytes, and so on.
__global__ void layouts() {
  extern __shared__ __align__(1024) unsigned char tile[];
  float d[4] = {};
  multiply<0>(d, descriptor(tile, 1024, 128, kSwizzleNone),
              descriptor(tile, 128, 128, kSwizzleNone));
  multiply<0>(d, descriptor(tile, 16, 256, kSwizzle32), descriptor(tile, 16, 256, kSwizzle32));
  multiply<0>(d, descriptor(tile, 16, 512, kSwizzle64), descriptor(tile, 16, 512, kSwizzle64));
  multiply<0>(d, descriptor(tile, 16, 1024, kSwizzle128), descriptor(tile, 16, 1024, kSwizzle128));
  // Elements lie side by side along m and n.
  multiply<1>(d, descriptor(tile, 1024, 1024, kSwizzle128),
              descriptor(tile, 1024, 1024, kSwizzle128));
}

int main() {
  cudaFuncSetAttribute(layouts, cudaFuncAttributeMaxDynamicSharedMemorySize, 16384);
  layouts<<<1, 128, 16384>>>();
}
