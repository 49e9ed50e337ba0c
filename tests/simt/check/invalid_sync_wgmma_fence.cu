// A warpgroup multiplies, and no wgmma.fence has made its registers ready.
// says: no wgmma.fence came before its warpgroup's first product
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
  float d[4] = {};
#ifdef MENDED
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
  for (int i = 0; i < 2; ++i) {
    asm volatile(  // finds: invalid-sync
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(descriptor(tile)), "l"(descriptor(tile + 64 * 16)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = d[i];
}

int main() {
  float* out;
  cudaMalloc(&out, 512 * sizeof(float));
  multiply<<<2, 128>>>(out);
  cudaFree(out);
}
