// __syncthreads() in place of the wait at the mbarrier: it orders threads, and the copy is none of
// them. Nor has the thread that started it waited for it.
// says: a copy that the thread has not waited for
// says: wait at the mbarrier that the copy completes, by the parity of its phase
// says not: put __syncthreads()
#include <cuda_runtime.h>

#include <cstdint>

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void wait(std::uint64_t* barrier) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
      "@!p bra again;\n}" ::"r"(shared_address(barrier))
      : "memory");
}

__global__ void reverse(const float* in, float* out) {
  __shared__ alignas(128) float tile[64];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(shared_address(&full))
        : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, "
        "[%2];" ::"r"(shared_address(tile)),
        "l"(in), "r"(shared_address(&full))
        : "memory");
#ifdef MENDED
    wait(&full);  // one for all, who learn of it at the barrier
#endif
  }
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // finds: race
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  reverse<<<2, 64>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
