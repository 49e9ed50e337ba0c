// A sum by shuffles takes its mask from __activemask, which names lanes that are together, and not
// all that took the same way. What goes by the lanes that it names is right.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void partial_sums(const int* in, int* out) {
  const unsigned lane = threadIdx.x;
  const unsigned first = __ballot_sync(0xFFFFFFFFU, lane < 8);
  if (lane >= 8) return;
  int sum = in[lane];
#ifdef MENDED
  const unsigned mask = first;
#else
  const unsigned mask = __activemask();
#endif
  for (int d = 4; d > 0; d /= 2) {
    sum += __shfl_down_sync(mask, sum, d);  // finds: invalid-sync
  }
  if (lane == 0) out[0] = sum + (first == 0 ? 1 : 0);
}

__global__ void count_odd(const int* in, int* count, int* leaders) {
  if (in[threadIdx.x] % 2 == 0) return;
  const auto group = cooperative_groups::coalesced_threads();
  int before = 0;
  if (group.thread_rank() == 0) before = atomicAdd(count, static_cast<int>(group.size()));
  before = group.shfl(before, 0) + static_cast<int>(group.thread_rank());
  leaders[before] = in[threadIdx.x];
}

int main() {
  int host[32];
  for (int i = 0; i < 32; ++i) host[i] = i;
  int *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, 2 * sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, 2 * sizeof host);
  partial_sums<<<1, 32>>>(in, out);
  cudaMemset(out, 0, 2 * sizeof host);
  count_odd<<<1, 32>>>(in, out, out + 1);
  int counted[33];
  cudaMemcpy(counted, out, sizeof counted, cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int i = 1; i <= 16; ++i) sum += counted[i];
  cudaFree(in);
  cudaFree(out);
  return counted[0] == 16 && sum == 256 ? 0 : 1;
}
