#include "11_hopper/sum_over_cluster.hpp"

#include "08_reductions/warp_reduce.cuh"
#include "11_hopper/cluster_memory.cuh"
#include "11_hopper/tensor_map.hpp"
#include "11_hopper/wgmma.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/ptx/cluster.cuh"

namespace tut::ch11 {
namespace {

constexpr int CLUSTER = 4, THREADS = 256;

__global__ void __launch_bounds__(THREADS)
    sum_over_cluster_kernel(MatrixView<const float> in, float* out) {
  if constexpr (has_wgmma<float>) {
    __shared__ float part;  // of the row's sum: this block's
    const int row = static_cast<int>(blockIdx.x) / CLUSTER;
    const unsigned rank = ptx::cluster_rank();

    float sum = 0.0f;
    //! [hole-sum]
    // Add this thread's columns: those of the cluster's CLUSTER * THREADS threads lie side by side,
    // the blocks in the order of their ranks. Then ch08::block_reduce<THREADS>(sum, ch08::Add()).
    for (std::int64_t j = static_cast<int>(rank) * THREADS + static_cast<int>(threadIdx.x);
         j < in.cols; j += CLUSTER * THREADS) {
      sum += in(row, static_cast<int>(j));
    }
    sum = ch08::block_reduce<THREADS>(sum, ch08::Add());
    //! [hole-sum]
    if (threadIdx.x == 0) part = sum;

    //! [hole-barrier]
    // All blocks of the cluster have written their parts: ptx::cluster_arrive, ptx::cluster_wait.
    ptx::cluster_arrive();
    ptx::cluster_wait();
    //! [hole-barrier]

    if (rank == 0 && threadIdx.x == 0) {
      float total = 0.0f;
      //! [hole-add]
      // Add the parts of the four blocks: load_from_rank(&part, rank).
      for (unsigned other = 0; other < CLUSTER; ++other) total += load_from_rank(&part, other);
      //! [hole-add]
      out[row] = total;
    }

    //! [hole-end]
    // No block ends before its part has been read: its shared memory would end with it.
    ptx::cluster_arrive();
    ptx::cluster_wait();
    //! [hole-end]
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
