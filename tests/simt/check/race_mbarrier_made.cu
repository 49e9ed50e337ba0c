// One thread initialises an mbarrier, and others use it: nothing orders the two; no fence makes it
// known to the copy engine; the cluster's relaxed barrier does not make it known to other blocks.
// Or all threads initialise it.
// says: initialises the mbarrier barrier[0], initialised by thread (0,0,0) of block (0,0,0)
// says: let one thread alone initialise it
// says: , initialised by thread (0,0,0) of block (0,0,0)
// says: with nothing between the two
// says: let the threads meet behind mbarrier.init: __syncthreads()
// says: with no fence between that makes it known to the copy engine
// says: fence.mbarrier_init.release.cluster or fence.proxy.async
// says: before a relaxed arrival call fence.mbarrier_init.release.cluster
#include <cuda_runtime.h>

#include <cstdint>

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void init(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ void wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
__device__ void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__global__ void used_at_once(int* out) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) init(&barrier, 64);
#ifdef MENDED
  __syncthreads();
#endif
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(  // finds: race
                   shared_address(&barrier))
               : "memory");
  wait(&barrier, 0);
  out[threadIdx.x] = 1;
}

// One after another may do so.
__global__ void made_by_all(int* out) {
  __shared__ std::uint64_t barrier;
#ifdef MENDED
  if (threadIdx.x == 0) {
#endif
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(  // finds: race
                     shared_address(&barrier)),
                 "r"(64)
                 : "memory");
#ifdef MENDED
  }
#endif
  __syncthreads();
  if (threadIdx.x == 63) init(&barrier, 64);
  __syncthreads();
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier))
               : "memory");
  wait(&barrier, 0);
  out[threadIdx.x] = 1;
}

/// kFence: 0 for one of the barrier's own, 1 for one of its thread's that is for all, 2 for one in
/// the thread that starts the copy.
template <int kFence>
__global__ void copies(int* out, const int* in) {
  __shared__ alignas(128) int tile[64];
  __shared__ std::uint64_t barrier;
  constexpr int kStarts = kFence == 2 ? 32 : 0;
  if (threadIdx.x == 0) {
    init(&barrier, 1);
#ifdef MENDED
    if (kFence == 0) fence_init();
    if (kFence == 1) asm volatile("fence.proxy.async;" ::: "memory");
#endif
  }
  __syncthreads();
  if (threadIdx.x == kStarts) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(shared_address(&barrier))
        : "memory");
#ifdef MENDED
    if (kFence == 2) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    asm volatile(  // finds: race
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, "
        "[%2];" ::"r"(shared_address(tile)),
        "l"(in), "r"(shared_address(&barrier))
        : "memory");
  }
  wait(&barrier, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

// All threads arrive at the first block's barrier.
template <bool kRelaxed>
__global__ void __cluster_dims__(2) arrives_there(int* out) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    init(&barrier, 2 * 64);
#ifdef MENDED
    fence_init();
#endif
  }
  if (kRelaxed) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  } else {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  }
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (kRelaxed) {
    asm volatile(  // finds: race
        "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, 0;\n"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(
            shared_address(&barrier))
        : "memory");
  } else {
    asm volatile(
        "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, 0;\n"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(
            shared_address(&barrier))
        : "memory");
  }
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (rank == 0) wait(&barrier, 0);
  out[threadIdx.x + 64 * blockIdx.x] = 1;
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 128 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  used_at_once<<<1, 64>>>(out);
  made_by_all<<<1, 64>>>(out);
  copies<0><<<1, 64>>>(out, in);
  copies<1><<<1, 64>>>(out, in);
  copies<2><<<1, 64>>>(out, in);
  arrives_there<true><<<2, 64>>>(out);
  arrives_there<false><<<2, 64>>>(out);
  cudaFree(in);
  cudaFree(out);
}
