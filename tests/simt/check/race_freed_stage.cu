// A producer fills two stages in turn, each when its consumers have arrived at its barrier: a
// consumer arrives before it has read all.
// says: let the copy begin only when all who use what is there have arrived
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kSteps = 6;

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
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

__global__ void sum(const int* in, int* out) {
  __shared__ alignas(128) int stages[2][32];
  __shared__ std::uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[i]))
                   : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(shared_address(&empty[i]))
                   : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x % 32);
  int sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    const int stage = step % 2;
    const unsigned parity = step / 2 % 2;
    if (threadIdx.x == 32) {
      wait(&empty[stage], parity ^ 1);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(
                       shared_address(&full[stage]))
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, "
          "[%2];" ::"r"(shared_address(stages[stage])),
          "l"(in + 32 * step), "r"(shared_address(&full[stage]))
          : "memory");
    } else if (threadIdx.x < 32) {
      wait(&full[stage], parity);
      sum += stages[stage][lane];
#ifdef MENDED
      sum -= stages[stage][31 - lane] / 2;
      arrive(&empty[stage]);
#else
      arrive(&empty[stage]);
      sum -= stages[stage][31 - lane] / 2;  // finds: race
#endif
    }
  }
  if (threadIdx.x < 32) out[lane] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, kSteps * 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(in, 0, kSteps * 32 * sizeof(int));
  sum<<<1, 64>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
