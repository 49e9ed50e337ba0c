// Cooperative groups; blocks take turns along the whole array.
#include "08_reductions/dot_product.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

namespace cg = cooperative_groups;

__device__ float block_sum(const cg::thread_block& block, float value) {
  __shared__ float sums[8];
  const auto warp = cg::tiled_partition<32>(block);
  value = cg::reduce(warp, value, cg::plus<float>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = value;
  block.sync();
  const float part = warp.thread_rank() < warp.meta_group_size() ? sums[warp.thread_rank()] : 0.0f;
  block.sync();
  return cg::reduce(warp, part, cg::plus<float>());
}

// Elements 4i to 4i + 3, in the same order whether they come by one load or by four.
__device__ float4 four(const float* p, std::size_t i, bool aligned) {
  if (aligned) return reinterpret_cast<const float4*>(p)[i];
  return make_float4(p[4 * i], p[4 * i + 1], p[4 * i + 2], p[4 * i + 3]);
}

__global__ void kernel(const float* x, const float* y, std::size_t size, float* scratch,
                       unsigned* finished, float* out) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::grid_group grid = cg::this_grid();
  const bool fours =
      (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y)) % 16 == 0;
  const std::size_t whole = size / 4;
  float a = 0, b = 0, c = 0, d = 0;
  for (std::size_t i = grid.thread_rank(); i < whole; i += grid.size()) {
    const float4 u = four(x, i, fours), v = four(y, i, fours);
    a += u.x * v.x, b += u.y * v.y, c += u.z * v.z, d += u.w * v.w;
  }
  std::size_t turn = 0;
  for (std::size_t i = 4 * whole + grid.thread_rank(); i < size; i += grid.size(), ++turn) {
    (turn % 4 == 0 ? a : turn % 4 == 1 ? b : turn % 4 == 2 ? c : d) += x[i] * y[i];
  }
  const float sum = block_sum(block, (a + b) + (c + d));
  __shared__ unsigned ticket;
  if (block.thread_rank() == 0) {
    scratch[blockIdx.x] = sum;
    __threadfence();
    ticket = atomicAdd(finished, 1u);
  }
  block.sync();
  if (ticket != gridDim.x - 1) return;
  float rest = 0.0f;
  for (unsigned i = block.thread_rank(); i < gridDim.x; i += block.size())
    rest += __ldcg(scratch + i);
  rest = block_sum(block, rest);
  if (block.thread_rank() == 0) *out = rest, *finished = 0;
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
