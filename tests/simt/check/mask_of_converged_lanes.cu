// A sum by shuffles takes its mask from __activemask, which names lanes that are together, and not
// all that took the same way. What goes by the lanes that it names is right.
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

__global__ void count_odd(const int* in, int* count, int* found) {
  if (in[threadIdx.x] % 2 == 0) return;
  const unsigned lanes = __activemask(), lane = threadIdx.x;
  const int leader = __ffs(static_cast<int>(lanes)) - 1;
  int place = 0;
  if (static_cast<int>(lane) == leader) place = atomicAdd(count, __popc(lanes));
  place = __shfl_sync(lanes, place, leader) + __popc(lanes & ((1U << lane) - 1));
  found[place] = in[lane];
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
