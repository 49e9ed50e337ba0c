// Cooperative groups add up a warp, and then the sums of the warps.
#include "06_finding_kernel_bugs/row_norms.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

namespace cg = cooperative_groups;

__global__ void row_norms_kernel(MatrixView<const float> in, float* squares) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  __shared__ float of_warp[8];
  float sum = 0.0f;
  for (int j = block.thread_rank(); j < in.cols; j += block.size()) {
    const float value = in(blockIdx.x, j);
    sum += value * value;
  }
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = sum;
  block.sync();
  if (warp.meta_group_rank() != 0) return;
  sum = warp.thread_rank() < warp.meta_group_size() ? of_warp[warp.thread_rank()] : 0.0f;
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) squares[blockIdx.x] = sum;
}

}  // namespace

void row_norms(MatrixView<const float> in, float* squares, cudaStream_t stream) {
  require_matrix(in, "in");
  row_norms_kernel<<<in.rows, 256, 0, stream>>>(in, squares);
  check_launch();
}

}  // namespace tut::ch06
