// A warpgroup uses the sums of its products without waiting for them: it does not wait at all, or
// waits and has not committed the group.
// says: has not been waited for: its sums are undefined
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ std::uint64_t descriptor(const void* matrix) {
  const std::uint64_t at = static_cast<unsigned>(__cvta_generic_to_shared(matrix));
  return at >> 4 | std::uint64_t{1024 >> 4} << 16 | std::uint64_t{128 >> 4} << 32;
}

__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ void wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

template <int kStep>
__global__ void multiply(float* out) {
  __shared__ alignas(128) __half tile[2 * 64 * 16];
  for (int i = threadIdx.x; i < 2 * 64 * 16; i += 128) tile[i] = __float2half(1.0f);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  if constexpr (kStep == 0) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(descriptor(tile)), "l"(descriptor(tile + 64 * 16)));
    commit();
#ifdef MENDED
    wait();
#endif
  } else {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(descriptor(tile)), "l"(descriptor(tile + 64 * 16)));
#ifdef MENDED
    commit();
#endif
    wait();
  }
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = d[i];  // finds: uninitialised
}

// Nobody looks at the sums.
__global__ void multiply_for_nothing() {
  __shared__ alignas(128) __half tile[2 * 64 * 16];
  for (int i = threadIdx.x; i < 2 * 64 * 16; i += 128) tile[i] = __float2half(1.0f);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(  // finds: uninitialised
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(descriptor(tile)), "l"(descriptor(tile + 64 * 16)));
  commit();
#ifdef MENDED
  wait();
#endif
}

int main() {
  float* out;
  cudaMalloc(&out, 512 * sizeof(float));
  multiply<0><<<2, 128>>>(out);
  multiply<1><<<2, 128>>>(out);
  multiply_for_nothing<<<1, 128>>>();
  cudaFree(out);
}
