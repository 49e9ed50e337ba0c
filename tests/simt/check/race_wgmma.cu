// A warpgroup multiplies matrices that its own threads write, without a barrier between.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ std::uint64_t descriptor(const void* matrix) {
  const std::uint64_t at = __cvta_generic_to_shared(matrix);
  return at >> 4 | std::uint64_t{1024 >> 4} << 16 | std::uint64_t{128 >> 4} << 32;
}

__global__ void multiply(const __half* in, float* out) {
  __shared__ alignas(128) __half a[64 * 16], b[64 * 16];
  for (int i = threadIdx.x; i < 64 * 16; i += 128) {
    a[i] = in[i];
    b[i] = in[64 * 16 + i];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#ifdef MENDED
  __syncthreads();
#endif
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(  // finds: race
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(descriptor(a)), "l"(descriptor(b)));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = d[i];
}

int main() {
  __half* in;
  float* out;
  cudaMalloc(&in, 2 * 64 * 16 * sizeof(__half));
  cudaMalloc(&out, 512 * sizeof(float));
  cudaMemset(in, 0, 2 * 64 * 16 * sizeof(__half));
  multiply<<<1, 128>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
