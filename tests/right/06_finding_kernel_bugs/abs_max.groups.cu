// A warp takes 256 elements by itself, and a group reduces what its lanes found.
#include "06_finding_kernel_bugs/abs_max.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

namespace cg = cooperative_groups;

__global__ void abs_max_kernel(const float* x, int n, float* maxima) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int part = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  const int end = min(n - part * 256, 256);
  if (end <= 0) return;
  const float* const from = x + part * 256;
  float largest = 0.0f;
  for (int i = warp.thread_rank(); i < end; i += warp.size()) largest = max(largest, abs(from[i]));
  largest = cg::reduce(warp, largest, cg::greater<float>());
  if (warp.thread_rank() == 0) maxima[part] = largest;
}

}  // namespace

void abs_max(const float* x, int n, float* maxima, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;
  abs_max_kernel<<<((n + 255) / 256 + 3) / 4, 128, 0, stream>>>(x, n, maxima);
  check_launch();
}

}  // namespace tut::ch06
