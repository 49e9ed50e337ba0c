// Two warps of a warpgroup multiply, and the others have left: wgmma is for all four together.
// says: the warpgroup waits at this wgmma.fence for warps 1 and 3 of block (0,0,0), in vain
// says: wgmma.fence, which all four warps of a warpgroup have to execute (all but warps 1 and 3
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ std::uint64_t descriptor(const void* matrix) {
  const std::uint64_t at = static_cast<unsigned>(__cvta_generic_to_shared(matrix));
  return at >> 4 | std::uint64_t{1024 >> 4} << 16 | std::uint64_t{128 >> 4} << 32;
}

__global__ void multiply(float* out) {
  __shared__ alignas(128) __half tile[2 * 64 * 16];
  for (int i = threadIdx.x; i < 2 * 64 * 16; i += 128) tile[i] = __float2half(1.0f);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
#ifndef MENDED
  if (threadIdx.x / 32 % 2 == 1) return;
#endif
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");  // finds: invalid-sync
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(descriptor(tile)), "l"(descriptor(tile + 64 * 16)));
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = d[i];
}

int main() {
  float* out;
  cudaMalloc(&out, 512 * sizeof(float));
  multiply<<<1, 128>>>(out);
  cudaFree(out);
}
