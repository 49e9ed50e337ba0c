// A block adds up a stretch of its own; groups reduce the warps.
#include "06_finding_kernel_bugs/total.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

namespace cg = cooperative_groups;

__device__ float block_sum(const cg::thread_block& block, float value, float* of_warp) {
  const auto warp = cg::tiled_partition<32>(block);
  value = cg::reduce(warp, value, cg::plus<float>());
  if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = value;
  block.sync();
  value = 0.0f;
  for (unsigned w = 0; w < warp.meta_group_size(); ++w) value += of_warp[w];
  block.sync();
  return value;
}

__global__ void total_kernel(const float* x, int n, float* out, float* partial,
                             unsigned* finished) {
  const cg::thread_block block = cg::this_thread_block();
  __shared__ float of_warp[8];
  __shared__ unsigned ticket;
  const int stretch = (n / gridDim.x + 256) / 32 * 32;
  const long long first = 1LL * blockIdx.x * stretch;
  float sum = 0.0f;
  for (long long i = first + threadIdx.x; i < n && i < first + stretch; i += 256) sum += x[i];
  sum = block_sum(block, sum, of_warp);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    ticket = atomicAdd(finished, 1);
    __threadfence();
  }
  block.sync();
  if (ticket + 1 != gridDim.x) return;
  sum = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0.0f;
  sum = block_sum(block, sum, of_warp);
  if (threadIdx.x == 0) {
    *out = sum;
    *finished = 0;
  }
}

}  // namespace

void total(const float* x, int n, float* out, float* partial, unsigned* finished,
           cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  total_kernel<<<total_blocks(n), 256, 0, stream>>>(x, n, out, partial, finished);
  check_launch();
}

}  // namespace tut::ch06
