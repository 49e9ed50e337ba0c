// Every warp goes its own way through the stretch; one warp adds up the blocks.
#include "08_reductions/dot_product.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

__device__ float warp_sum(float value) {
  for (int step = 1; step < 32; step *= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

// Four neighbours, by one load or by four.
__device__ float4 four(const float* p, bool aligned) {
  return aligned ? *reinterpret_cast<const float4*>(p) : make_float4(p[0], p[1], p[2], p[3]);
}

__global__ void kernel(const float* x, const float* y, std::size_t size, float* scratch,
                       unsigned* finished, float* out) {
  __shared__ float sums[8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t length = stretch_length(size) / 8;
  const std::size_t begin = (blockIdx.x * std::size_t{8} + warp) * length;
  const std::size_t end = begin + length < size ? begin + length : size;
  const bool fours = reinterpret_cast<std::uintptr_t>(x) % 16 == 0 &&
                     reinterpret_cast<std::uintptr_t>(y) % 16 == 0;
  float sum[4] = {};
  std::size_t i = begin;
  for (; i + 128 <= end; i += 128) {
    const float4 a = four(x + i + 4 * lane, fours), b = four(y + i + 4 * lane, fours);
    sum[0] = fmaf(a.x, b.x, sum[0]);
    sum[1] = fmaf(a.y, b.y, sum[1]);
    sum[2] = fmaf(a.z, b.z, sum[2]);
    sum[3] = fmaf(a.w, b.w, sum[3]);
  }
  for (int turn = 0; i < end; i += 32, ++turn) {
    if (i + lane < end) sum[turn % 4] += x[i + lane] * y[i + lane];
  }
  const float mine = warp_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
  if (lane == 0) sums[warp] = mine;
  __syncthreads();
  if (warp > 0) return;
  const float all = warp_sum(lane < 8 ? sums[lane] : 0.0f);
  unsigned ticket = 0;
  if (lane == 0) {
    scratch[blockIdx.x] = all;
    __threadfence();
    ticket = atomicAdd(finished, 1u);
  }
  if (__shfl_sync(0xffffffff, ticket, 0) + 1 != gridDim.x) return;
  __threadfence();
  __syncwarp();  // a shuffle orders no memory
  float rest[4] = {};
  for (unsigned b = lane, turn = 0; b < gridDim.x; b += 32, ++turn)
    rest[turn % 4] += __ldcg(&scratch[b]);
  const float total = warp_sum((rest[0] + rest[1]) + (rest[2] + rest[3]));
  if (lane == 0) {
    *out = total;
    atomicExch(finished, 0u);
  }
}

}  // namespace

void dot_product(std::span<const float> x, std::span<const float> y, std::span<float> scratch,
                 unsigned* finished, float* out, cudaStream_t stream) {
  const std::size_t blocks = dot_product_scratch(x.size());
  require(x.size() == y.size(), {"x has ", x.size(), " elements, y has ", y.size()});
  require(x.empty() || (x.data() != nullptr && y.data() != nullptr), "x or y has no data");
  require(scratch.size() >= blocks, {"scratch has ", scratch.size(), "; expected ", blocks});
  require(finished != nullptr && out != nullptr, "no counter, or no place for the result");
  kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(x.data(), y.data(), x.size(),
                                                            scratch.data(), finished, out);
  check_launch();
}

}  // namespace tut::ch08
