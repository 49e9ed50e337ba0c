// Threads call one half of the cluster's barrier twice: they arrive again without having waited, or
// wait without having arrived.
// says: arrives at the cluster's barrier again, and has not waited since it arrived last
// says: waits at the cluster's barrier, and has not arrived there since it waited last
#include <cuda_runtime.h>

__global__ void __cluster_dims__(2) arrive_twice(int* out) {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#ifdef MENDED
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
  out[blockIdx.x * 32 + threadIdx.x] = 1;
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");  // finds: invalid-sync
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2) wait_twice(int* out) {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  out[blockIdx.x * 32 + threadIdx.x] = 1;
#ifdef MENDED
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");  // finds: invalid-sync
}

// Nobody waits for the last arrival: its threads may end.
__global__ void __cluster_dims__(2) arrive_last(int* out) {
  out[blockIdx.x * 32 + threadIdx.x] = 1;
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  arrive_twice<<<2, 32>>>(out);
  wait_twice<<<2, 32>>>(out);
  arrive_last<<<2, 32>>>(out);
  cudaFree(out);
}
