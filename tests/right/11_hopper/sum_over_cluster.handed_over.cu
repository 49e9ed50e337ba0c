// Each block writes its part to the first one's shared memory.
#include "11_hopper/sum_over_cluster.hpp"

#include "08_reductions/warp_reduce.cuh"
#include "11_hopper/tensor_map.hpp"
#include "11_hopper/wgmma.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/ptx/cluster.cuh"
#include "tut/ptx/shared_address.cuh"

namespace tut::ch11 {
namespace {

constexpr int CLUSTER = 4, THREADS = 256;

__device__ void store_to_first(const float* place, float value) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, 0;\n"
      "st.shared::cluster.f32 [there], %1;\n"
      "}" ::"r"(ptx::shared_address(place)),
      "f"(value)
      : "memory");
}

__global__ void __launch_bounds__(THREADS)
    sum_over_cluster_kernel(MatrixView<const float> in, float* out) {
  if constexpr (has_wgmma<float>) {
    __shared__ float parts[CLUSTER];  // of the row's sum, in the first block
    const int row = static_cast<int>(blockIdx.x) / CLUSTER;
    const unsigned rank = ptx::cluster_rank();

    float sum = 0.0f;
    for (std::int64_t j = static_cast<int>(rank) * THREADS + static_cast<int>(threadIdx.x);
         j < in.cols; j += CLUSTER * THREADS) {
      sum += in(row, static_cast<int>(j));
    }
    sum = ch08::block_reduce<THREADS>(sum, ch08::Add());
    ptx::cluster_arrive();  // the first block has begun
    ptx::cluster_wait();
    if (threadIdx.x == 0) store_to_first(&parts[rank], sum);
    ptx::cluster_arrive();
    ptx::cluster_wait();
    if (rank == 0 && threadIdx.x == 0) out[row] = ((parts[0] + parts[1]) + parts[2]) + parts[3];
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
