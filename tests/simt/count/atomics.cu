// Atomics: one request, however the CPU performs them; lanes at one address wait for each other.
#include <cuda_runtime.h>

// clang-format off
__global__ void one_address(int* counter) {
  atomicAdd(counter, 1);  // counts: global_atomic requests=1 lanes=32 sectors=1 repeats=31 most_lanes_at_one_address=32
}

__global__ void own_addresses(int* counters) {
  atomicAdd(&counters[threadIdx.x], 1);  // counts: global_atomic requests=1 sectors=4 repeats=0 most_lanes_at_one_address=1
}

// On the CPU a loop of compare and swap.
__global__ void floats(float* sums) {
  atomicAdd(&sums[threadIdx.x / 8], 1.0f);  // counts: global_atomic requests=1 lanes=32 sectors=1 repeats=7 most_lanes_at_one_address=8
}

__global__ void largest(int* most) {
  atomicMax(most, static_cast<int>(threadIdx.x));  // counts: global_atomic requests=1 repeats=31
}

__global__ void histogram(const int* in, int* out) {
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;  // counts: shared_store requests=1 lanes=4
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] + threadIdx.x % 4], 1);  // counts: global_load requests=2; shared_atomic requests=2 lanes=64 wavefronts=16 bank_conflicts=14 worst_conflict_ways=8
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);  // counts: shared_load requests=1 lanes=4; global_atomic requests=1 lanes=4 sectors=1
}
// clang-format on

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  cudaMemset(in, 0, 4096 * sizeof(int));
  cudaMemset(out, 0, 4096 * sizeof(int));
  one_address<<<1, 32>>>(out);
  own_addresses<<<1, 32>>>(out);
  floats<<<1, 32>>>(reinterpret_cast<float*>(out));
  largest<<<1, 32>>>(out);
  histogram<<<1, 64>>>(in, out);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(in);
  cudaFree(out);
  return ok ? 0 : 1;
}
