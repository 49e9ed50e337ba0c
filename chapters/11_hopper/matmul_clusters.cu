#include "11_hopper/matmul_clusters.hpp"

#include <algorithm>

#include "11_hopper/store_tile.cuh"
#include "11_hopper/tensor_map.hpp"
#include "11_hopper/warpgroup_tile.cuh"
#include "tut/device/multiprocessors.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/cluster.cuh"
#include "tut/ptx/mbarrier.cuh"
#include "tut/ptx/tensor_copy.cuh"

namespace tut::ch11 {
namespace {

using T = __nv_bfloat16;

constexpr int BM = 128, BN = 256;  // a block's tile of C; a step of k is BK
constexpr int CLUSTER = 2;         // blocks, whose tiles lie one above the other
constexpr int CONSUMERS = BM / WGMMA_M, THREADS = (1 + CONSUMERS) * WARPGROUP;
constexpr int CONSUMER_WARPS = CONSUMERS * WARPGROUP / 32, STAGES = 4;
constexpr int PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;

/// The swizzled tiles of one step of k.
struct Stage {
  T a[BM * BK];  // (row, k)
  T b[BN * BK];  // (col, k)
};

struct alignas(1024) Shared {
  Stage stages[STAGES];
  WarpPieces pieces[CONSUMER_WARPS];  // of C, on their way there
  std::uint64_t full[STAGES], empty[STAGES];
};

/// What a cluster goes through: its pairs of tiles of C, each with as many steps of k.
struct Work {
  int pair_rows, tile_cols, steps;

  __device__ std::int64_t pairs() const { return std::int64_t{pair_rows} * tile_cols; }
  __device__ int row(std::int64_t pair) const {
    return static_cast<int>(ch10::block_place(pair, pair_rows, tile_cols).row) * CLUSTER * BM +
           static_cast<int>(ptx::cluster_rank()) * BM;
  }
  __device__ int col(std::int64_t pair) const {
    return static_cast<int>(ch10::block_place(pair, pair_rows, tile_cols).col) * BN;
  }
};

//! [produce]
/// Fills the stages in turn for all steps of all tiles. Of B, which both blocks need, each block
/// copies half, into both. By one thread of each block.
__device__ void produce(const CUtensorMap& a, const CUtensorMap& b, const Work& work,
                        Shared& shared) {
  constexpr int HALF = BN / CLUSTER;
  constexpr std::uint16_t BOTH = (1 << CLUSTER) - 1;
  const int half = static_cast<int>(ptx::cluster_rank()) * HALF;
  unsigned use = 0;
  for (std::int64_t pair = blockIdx.x / CLUSTER; pair < work.pairs(); pair += gridDim.x / CLUSTER) {
    const int row0 = work.row(pair), col0 = work.col(pair);
    for (int step = 0; step < work.steps; ++step, ++use) {
      const unsigned i = use % STAGES, round = use / STAGES;
      Stage& stage = shared.stages[i];
      ptx::mbarrier_wait(&shared.empty[i], (round + 1) % 2);  // in both blocks
      ptx::mbarrier_arrive_expect_tx(&shared.full[i], sizeof(Stage));
      ptx::cp_async_bulk_tensor_2d_to_shared(stage.a, a, step * BK, row0, &shared.full[i]);
      ptx::cp_async_bulk_tensor_2d_multicast(stage.b + half * BK, b, step * BK, col0 + half,
                                             &shared.full[i], BOTH);
    }
  }
}
//! [produce]

//! [consume]
/// Says to both producers that this warp needs the stage no more: both copy into it.
__device__ __forceinline__ void free_stage(Shared& shared, unsigned i) {
  if (const unsigned lane = threadIdx.x % 32; lane < CLUSTER) {
    ptx::mbarrier_arrive_at_rank(&shared.empty[i], lane);
  }
}

/// Multiplies the stages of one tile; by a warpgroup, whose 64 rows begin at `row` of the tile's.
__device__ __forceinline__ void consume(Shared& shared, int row, int steps, unsigned& use,
                                        float (&sums)[BN / 2]) {
  for (int step = 0; step < steps; ++step, ++use) {
    const unsigned i = use % STAGES;
    const Stage& stage = shared.stages[i];
    ptx::mbarrier_wait(&shared.full[i], use / STAGES % 2);
    multiply_step(sums, stage.a + row * BK, stage.b);
    ptx::wgmma_wait_group<1>();  // this warp's products of the step before are done
    if (step > 0) free_stage(shared, (use - 1) % STAGES);
  }
  ptx::wgmma_wait_group<0>();
  free_stage(shared, (use - 1) % STAGES);
}
//! [consume]

//! [kernel]
/// `by_tma`: c_map is the map of c; else C is written from registers.
__global__ void __launch_bounds__(THREADS, 1)
    matmul_clusters_kernel(const __grid_constant__ CUtensorMap a,
                           const __grid_constant__ CUtensorMap b,
                           const __grid_constant__ CUtensorMap c_map, MatrixView<T> c, bool by_tma,
                           Work work) {
  if constexpr (has_wgmma<T>) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    if (threadIdx.x == 0) {
      for (std::uint64_t& full : shared.full) ptx::mbarrier_init(&full, 1);
      for (std::uint64_t& empty : shared.empty) {
        ptx::mbarrier_init(&empty, CLUSTER * CONSUMER_WARPS);
      }
      ptx::mbarrier_init_fence();
    }
    // The other block's barriers are there as well.
    ptx::cluster_arrive();
    ptx::cluster_wait();

    const int warpgroup = static_cast<int>(threadIdx.x) / WARPGROUP;
    if (warpgroup == 0) {
      setmaxnreg_dec<PRODUCER_REGISTERS>();
      if (threadIdx.x == 0) produce(a, b, work, shared);
    } else {
      setmaxnreg_inc<CONSUMER_REGISTERS>();
      const int warp = static_cast<int>(threadIdx.x - WARPGROUP) / 32;
      const int row = warp / 4 * WGMMA_M;  // of the warpgroup, in the tile
      unsigned use = 0;
      for (std::int64_t pair = blockIdx.x / CLUSTER; pair < work.pairs();
           pair += gridDim.x / CLUSTER) {
        float sums[BN / 2] = {};
        consume(shared, row, work.steps, use, sums);
        if (by_tma) {
          store_by_tma(c_map, work.row(pair) + warp * PIECE_ROWS, work.col(pair), sums,
                       shared.pieces[warp]);
        } else {
          store_sums(c, work.row(pair) + row, work.col(pair), sums);
        }
      }
      wait_for_stores();
    }
    // No block ends while the other one still arrives at its barriers or copies into it.
    __syncwarp();
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
}
//! [kernel]

}  // namespace

void matmul_clusters(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                     cudaStream_t stream) {
  require_transposed_matmul(a, b, c, "matmul_clusters");
  check(cudaFuncSetAttribute(matmul_clusters_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Shared)));
  const Work work{ceil_div(c.rows, CLUSTER * BM), ceil_div(c.cols, BN), ceil_div(a.cols, BK)};
  const auto pairs = std::int64_t{work.pair_rows} * work.tile_cols;
  const auto clusters = std::clamp<std::int64_t>(multiprocessor_count() / CLUSTER, 1, pairs);
  const bool by_tma = is_tensor(c);

  //! [launch]
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = CLUSTER;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(clusters) * CLUSTER);
  config.blockDim = dim3(THREADS);
  config.dynamicSmemBytes = sizeof(Shared);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, matmul_clusters_kernel, make_tensor_map(a, BM, BK),
                           make_tensor_map(b, BN / CLUSTER, BK),
                           by_tma ? make_tensor_map(c, PIECE_ROWS, PIECE_COLS) : CUtensorMap{}, c,
                           by_tma, work));
  //! [launch]
}

}  // namespace tut::ch11
