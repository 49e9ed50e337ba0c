// float4 between what lies before the first multiple of 16 bytes and behind the last, one barrier,
// and then a warp alone.
#include "06_finding_kernel_bugs/total.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

constexpr int BLOCK = 256, WARP = 32;
constexpr unsigned ALL = 0xFFFFFFFFu;

__device__ float warp_sum(float v) {
#pragma unroll
  for (int step = WARP / 2; step > 0; step /= 2) v += __shfl_xor_sync(ALL, v, step);
  return v;
}

__global__ void __launch_bounds__(BLOCK)
    total_kernel(const float* x, int n, float* out, float* partial, unsigned* finished) {
  __shared__ float sums[BLOCK];
  const int tx = threadIdx.x;
  const int thread = blockIdx.x * BLOCK + tx;
  const int threads = gridDim.x * BLOCK;

  // Up to three elements before the first multiple of 16 bytes, whole float4, up to three after.
  const int off = static_cast<int>(reinterpret_cast<std::uintptr_t>(x) / sizeof(float) % 4);
  const int head = min((4 - off) % 4, n);
  const int fours = (n - head) / 4;
  const int tail = head + 4 * fours;
  const float4* x4 = reinterpret_cast<const float4*>(x + head);

  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int i = thread; i < fours; i += threads) {
    const float4 v = x4[i];
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  if (thread < head) sum.x += x[thread];
  if (thread < n - tail) sum.y += x[tail + thread];
  sums[tx] = (sum.x + sum.y) + (sum.z + sum.w);
  __syncthreads();
  if (tx >= WARP) return;  // no barrier of the block follows

  float part = 0.0f;
#pragma unroll
  for (int k = 0; k < BLOCK; k += WARP) part += sums[k + tx];
  part = warp_sum(part);

  unsigned ticket = 0;
  if (tx == 0) {
    partial[blockIdx.x] = part;
    __threadfence();                              // release the sum ...
    ticket = atomicInc(finished, gridDim.x - 1);  // the last ticket sets it to 0 again
    __threadfence();                              // ... acquire the others'
  }
  __syncwarp();
  ticket = __shfl_sync(ALL, ticket, 0);
  if (ticket + 1 != gridDim.x) return;

  float rest = 0.0f;
  for (unsigned block = tx; block < gridDim.x; block += WARP) rest += partial[block];
  rest = warp_sum(rest);
  if (tx == 0) *out = rest;
}

}  // namespace

void total(const float* x, int n, float* out, float* partial, unsigned* finished,
           cudaStream_t stream) {
  require(n >= 0, {"total of ", n, " elements; expected 0 or more"});
  total_kernel<<<total_blocks(n), BLOCK, 0, stream>>>(x, n, out, partial, finished);
  check_launch();
}

}  // namespace tut::ch06
