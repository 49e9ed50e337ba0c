// The cluster's barrier and its shared memory by cooperative groups.
#include "11_hopper/sum_over_cluster.hpp"

#include <cooperative_groups.h>

#include "08_reductions/warp_reduce.cuh"
#include "11_hopper/tensor_map.hpp"
#include "11_hopper/wgmma.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch11 {
namespace {

constexpr int CLUSTER = 4, THREADS = 256;

__global__ void __launch_bounds__(THREADS)
    sum_over_cluster_kernel(MatrixView<const float> in, float* out) {
  if constexpr (has_wgmma<float>) {
    __shared__ float part;  // of the row's sum: this block's
    const int row = static_cast<int>(blockIdx.x) / CLUSTER;
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned rank = cluster.block_rank();

    float sum = 0.0f;
    for (std::int64_t j = static_cast<int>(rank) * THREADS + static_cast<int>(threadIdx.x);
         j < in.cols; j += CLUSTER * THREADS) {
      sum += in(row, static_cast<int>(j));
    }
    sum = ch08::block_reduce<THREADS>(sum, ch08::Add());
    if (threadIdx.x == 0) part = sum;

    cluster.sync();

    if (rank == 0 && threadIdx.x == 0) {
      float total = 0.0f;
      for (unsigned other = 0; other < cluster.num_blocks(); ++other) {
        total += *cluster.map_shared_rank(&part, other);
      }
      out[row] = total;
    }

    cluster.sync();
  }
}

}  // namespace

void sum_over_cluster(MatrixView<const float> in, std::span<float> out, cudaStream_t stream) {
  require_matrix(in, "in");
  require_same_size(out.size(), "out", in.rows, "a column of in");
  require_hopper("sum_over_cluster");

  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = CLUSTER;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(in.rows) * CLUSTER);
  config.blockDim = dim3(THREADS);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, sum_over_cluster_kernel, in, out.data()));
}

}  // namespace tut::ch11
