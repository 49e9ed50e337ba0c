// Threads read what a bulk copy brings, and one of the two tiles is not waited for.
#include <cuda_runtime.h>

#include <cstdint>

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void fetch(float* to, const float* from, std::uint64_t* barrier) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(shared_address(barrier))
      : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(shared_address(barrier))
      : "memory");
}

__device__ void wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

__global__ void sum(const float* in, float* out) {
  __shared__ alignas(128) float tiles[2][64];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier))
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) fetch(tiles[0], in, &barrier);
  wait(&barrier, 0);
  float sum = tiles[0][threadIdx.x];
  __syncthreads();  // all have waited for the first phase
  if (threadIdx.x == 0) fetch(tiles[1], in + 64, &barrier);
#ifdef MENDED
  wait(&barrier, 1);
#endif
  sum += tiles[1][63 - threadIdx.x];  // finds: race
  out[threadIdx.x] = sum;
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 128 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 128 * sizeof(float));
  sum<<<1, 64>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
