// How programs commonly use shuffles in warps that are not whole. All are right but one: halving
// goes wrong for a number of lanes that is no power of two.
#include <cuda_runtime.h>

constexpr unsigned kAll = 0xFFFFFFFFU;

#ifdef MENDED
constexpr unsigned kWarps = 4;
#else
constexpr unsigned kWarps = 3;
#endif

__global__ void block_sum(const float* in, float* out) {
  __shared__ float partial[kWarps];
  const unsigned t = threadIdx.x;
  float v = in[t];
  for (unsigned d = 16; d > 0; d /= 2) v += __shfl_down_sync(kAll, v, d);
  if (t % 32 == 0) partial[t / 32] = v;
  __syncthreads();
  if (t >= kWarps) return;
  v = partial[t];
  constexpr unsigned kMask = (1U << kWarps) - 1;
  for (unsigned d = (kWarps + 1) / 2; d > 0; d /= 2) {
    v += __shfl_down_sync(kMask, v, d);  // finds: invalid-sync
  }
  if (t == 0) *out = v;
}

__global__ void scan(const int* in, int* out) {
  const unsigned t = threadIdx.x;
  int v = in[t];
  for (unsigned d = 1; d < 32; d *= 2) {
    const int below = __shfl_up_sync(kAll, v, d);
    if (t % 32 >= d) v += below;
  }
  out[t] = v;
}

__global__ void suffixes(const int* in, int* out, unsigned count) {
  const unsigned t = threadIdx.x;
  const unsigned mask = __ballot_sync(kAll, t < count);
  if (t >= count) return;
  int v = in[t];
  for (unsigned d = 1; d < 32; d *= 2) {
    const int above = __shfl_down_sync(mask, v, d);
    v += t + d < count ? above : 0;
  }
  out[t] = v;
}

__global__ void largest(const int* in, int* out, unsigned count) {
  const unsigned t = threadIdx.x;
  if (t >= count) return;
  int best = in[t];
  int place = static_cast<int>(t);
  for (unsigned d = 16; d > 0; d /= 2) {
    const int other = __shfl_xor_sync(kAll, best, d);
    const int from = __shfl_xor_sync(kAll, place, d);
    if ((t ^ d) < count && (other > best || (other == best && from < place))) {
      best = other;
      place = from;
    }
  }
  if (t == 0) *out = place;
}

__global__ void add_once(unsigned* total, unsigned count) {
  if (threadIdx.x % 3 == 0 || threadIdx.x >= count) return;
  const unsigned lanes = __activemask();
  const int leader = __ffs(static_cast<int>(lanes)) - 1;
  unsigned before = 0;
  if (static_cast<int>(threadIdx.x % 32) == leader) before = atomicAdd(total, __popc(lanes));
  before = __shfl_sync(lanes, before, leader);
  if (before > 1000) *total = 0;
}

__global__ void timed_sum(const int* in, int* out, long long* ticks) {
  const long long begin = clock64();
  int v = in[threadIdx.x];
  for (unsigned d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xFFU, v, d);
  if (threadIdx.x == 0) *out = v;
  ticks[threadIdx.x] = clock64() - begin;
}

__global__ void rows_of_eight(const double* in, double* out) {
  double v = in[threadIdx.x];
  for (unsigned d = 4; d > 0; d /= 2) v = fmax(v, __shfl_down_sync(kAll, v, d, 8));
  if (threadIdx.x % 8 == 0) out[threadIdx.x / 8] = v;
}

int main() {
  constexpr unsigned kMost = 128;
  void *in, *out;
  cudaMalloc(&in, kMost * sizeof(double));
  cudaMalloc(&out, kMost * sizeof(double));
  cudaMemset(in, 0, kMost * sizeof(double));
  cudaMemset(out, 0, kMost * sizeof(double));
  const auto* floats = static_cast<const float*>(in);
  const auto* ints = static_cast<const int*>(in);
  auto* results = static_cast<int*>(out);
  block_sum<<<1, 32 * kWarps>>>(floats, static_cast<float*>(out));
  scan<<<1, 40>>>(ints, results);
  suffixes<<<1, 32>>>(ints, results, 21);
  for (int i = 0; i < 5; ++i) largest<<<1, 32>>>(ints, results, 19);
  add_once<<<2, 40>>>(static_cast<unsigned*>(out), 35);
  timed_sum<<<1, 8>>>(ints, results, static_cast<long long*>(out) + 32);
  rows_of_eight<<<1, 40>>>(static_cast<const double*>(in), static_cast<double*>(out));
  cudaFree(in);
  cudaFree(out);
}
