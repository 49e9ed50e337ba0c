// A warpgroup lets its producer refill the matrix that a product under way still reads: it arrives
// before it waits for the product. One thread may arrive for all four warps, as a product is theirs
// together.
// says: before the product has been waited for
// says: wait for the product by wgmma.wait_group
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kSteps = 3, kHalves = 2 * 64 * 16;

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void init(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}
__device__ void wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
__device__ std::uint64_t descriptor(const void* matrix) {
  const std::uint64_t at = shared_address(matrix);
  return at >> 4 | std::uint64_t{1024 >> 4} << 16 | std::uint64_t{128 >> 4} << 32;
}

__global__ void multiply(const __half* in, float* out) {
  __shared__ alignas(128) __half tile[kHalves];
  __shared__ std::uint64_t full, empty;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  float d[4] = {};
  for (unsigned step = 0; step < kSteps; ++step) {
    if (threadIdx.x == 128) {
      wait(&empty, (step & 1) ^ 1);
      asm volatile(
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full)),
          "n"(kHalves * 2)
          : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(shared_address(tile)),
          "l"(in + kHalves * step), "n"(kHalves * 2), "r"(shared_address(&full))
          : "memory");
    } else if (threadIdx.x < 128) {
      wait(&full, step & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      asm volatile(  // finds: race
          "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, "
          "0;"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "l"(descriptor(tile)), "l"(descriptor(tile + 64 * 16)));
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifndef MENDED
      if (threadIdx.x == 0) arrive(&empty);
#endif
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#ifdef MENDED
      if (threadIdx.x == 0) arrive(&empty);
#endif
    }
  }
  if (threadIdx.x < 128) {
    for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = d[i];
  }
}

int main() {
  __half* in;
  float* out;
  cudaMalloc(&in, kSteps * kHalves * sizeof(__half));
  cudaMalloc(&out, 512 * sizeof(float));
  cudaMemset(in, 0, kSteps * kHalves * sizeof(__half));
  multiply<<<1, 160>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
