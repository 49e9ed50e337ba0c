// A part of a warp comes to a barrier of the cluster that is .aligned: one thread alone, for all;
// lanes whose others end before; one that waits for all.
// says: only lane 0 of warp 0 of block (0,0,0) comes to this barrier of the cluster
// says: only lanes 0 to 15 of warp 0 of block (0,0,0)
// says: take it out of the branch
#include <cuda_runtime.h>

__device__ void arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ void wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__global__ void __cluster_dims__(2) by_one(int* out) {
  out[blockIdx.x * 64 + threadIdx.x] = 1;
#ifdef MENDED
  arrive();
  wait();
#else
  if (threadIdx.x == 0) {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");  // finds: divergent-barrier
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");    // finds: divergent-barrier
  }
#endif
}

// Whole warps may end before it.
__global__ void __cluster_dims__(2) by_half(int* out) {
#ifdef MENDED
  if (threadIdx.x >= 32) return;
#else
  if (threadIdx.x >= 16) return;
#endif
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");  // finds: divergent-barrier
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");    // finds: divergent-barrier
  out[blockIdx.x * 64 + threadIdx.x] = 1;
}

__global__ void __cluster_dims__(2) one_waits(int* out) {
  out[blockIdx.x * 64 + threadIdx.x] = 1;
  arrive();
#ifdef MENDED
  wait();
#else
  if (threadIdx.x == 33) {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");  // finds: divergent-barrier
  }
#endif
}

// Without .aligned a warp's threads may come one after another.
__global__ void __cluster_dims__(2) from_two_sides(int* out) {
  if (threadIdx.x % 2 == 0) {
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  } else {
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  }
  out[blockIdx.x * 64 + threadIdx.x] = 1;
}

int main() {
  int* out;
  cudaMalloc(&out, 128 * sizeof(int));
  by_one<<<2, 64>>>(out);
  by_half<<<2, 48>>>(out);
  one_waits<<<2, 64>>>(out);
  from_two_sides<<<2, 64>>>(out);
  cudaFree(out);
}
