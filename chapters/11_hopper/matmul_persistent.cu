#include "11_hopper/matmul_persistent.hpp"

#include <algorithm>

#include "11_hopper/store_tile.cuh"
#include "11_hopper/tensor_map.hpp"
#include "11_hopper/warpgroup_tile.cuh"
#include "tut/device/multiprocessors.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/mbarrier.cuh"
#include "tut/ptx/tensor_copy.cuh"

namespace tut::ch11 {
namespace {

using T = __nv_bfloat16;

constexpr int BM = 128, BN = 256;  // a tile of C; a step of k is BK
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

/// What a block goes through: its tiles of C, each with as many steps of k.
struct Work {
  int tile_rows, tile_cols, steps;

  __device__ std::int64_t tiles() const { return std::int64_t{tile_rows} * tile_cols; }
  __device__ int row(std::int64_t tile) const {
    return static_cast<int>(ch10::block_place(tile, tile_rows, tile_cols).row) * BM;
  }
  __device__ int col(std::int64_t tile) const {
    return static_cast<int>(ch10::block_place(tile, tile_rows, tile_cols).col) * BN;
  }
};

//! [produce]
/// Fills the stages in turn for all steps of all tiles: `use` counts the uses of stages, and goes
/// on from tile to tile. By one thread.
__device__ void produce(const CUtensorMap& a, const CUtensorMap& b, const Work& work,
                        Shared& shared) {
  unsigned use = 0;
  for (std::int64_t tile = blockIdx.x; tile < work.tiles(); tile += gridDim.x) {
    const int row0 = work.row(tile), col0 = work.col(tile);
    for (int step = 0; step < work.steps; ++step, ++use) {
      const unsigned i = use % STAGES, round = use / STAGES;
      Stage& stage = shared.stages[i];
      ptx::mbarrier_wait(&shared.empty[i], (round + 1) % 2);
      ptx::mbarrier_arrive_expect_tx(&shared.full[i], sizeof(Stage));
      ptx::cp_async_bulk_tensor_2d_to_shared(stage.a, a, step * BK, row0, &shared.full[i]);
      ptx::cp_async_bulk_tensor_2d_to_shared(stage.b, b, step * BK, col0, &shared.full[i]);
    }
  }
}
//! [produce]

//! [consume]
/// Multiplies the stages of one tile; by a warpgroup, whose 64 rows begin at `row` of the tile's.
__device__ __forceinline__ void consume(Shared& shared, int row, int steps, unsigned& use,
                                        float (&sums)[BN / 2]) {
  for (int step = 0; step < steps; ++step, ++use) {
    const unsigned i = use % STAGES;
    const Stage& stage = shared.stages[i];
    ptx::mbarrier_wait(&shared.full[i], use / STAGES % 2);
    multiply_step(sums, stage.a + row * BK, stage.b);
    ptx::wgmma_wait_group<1>();  // this warp's products of the step before are done
    if (step > 0 && threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&shared.empty[(use - 1) % STAGES]);
  }
  ptx::wgmma_wait_group<0>();
  // The last stage is free, too: the producer needs it for the next tile.
  if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&shared.empty[(use - 1) % STAGES]);
}
//! [consume]

//! [kernel]
/// `by_tma`: c_map is the map of c; else C is written from registers.
__global__ void __launch_bounds__(THREADS, 1)
    matmul_persistent_kernel(const __grid_constant__ CUtensorMap a,
                             const __grid_constant__ CUtensorMap b,
                             const __grid_constant__ CUtensorMap c_map, MatrixView<T> c,
                             bool by_tma, Work work) {
  if constexpr (has_wgmma<T>) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    if (threadIdx.x == 0) {
      for (std::uint64_t& full : shared.full) ptx::mbarrier_init(&full, 1);
      for (std::uint64_t& empty : shared.empty) ptx::mbarrier_init(&empty, CONSUMER_WARPS);
      ptx::mbarrier_init_fence();
    }
    __syncthreads();

    const int warpgroup = static_cast<int>(threadIdx.x) / WARPGROUP;
    if (warpgroup == 0) {
      setmaxnreg_dec<PRODUCER_REGISTERS>();
      if (threadIdx.x == 0) produce(a, b, work, shared);
    } else {
      setmaxnreg_inc<CONSUMER_REGISTERS>();
      const int warp = static_cast<int>(threadIdx.x - WARPGROUP) / 32;
      const int row = warp / 4 * WGMMA_M;  // of the warpgroup, in the tile
      unsigned use = 0;
      for (std::int64_t tile = blockIdx.x; tile < work.tiles(); tile += gridDim.x) {
        float sums[BN / 2] = {};
        consume(shared, row, work.steps, use, sums);
        if (by_tma) {
          store_by_tma(c_map, work.row(tile) + warp * PIECE_ROWS, work.col(tile), sums,
                       shared.pieces[warp]);
        } else {
          store_sums(c, work.row(tile) + row, work.col(tile), sums);
        }
      }
      wait_for_stores();
    }
  }
}
//! [kernel]

}  // namespace

void matmul_persistent(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                       cudaStream_t stream) {
  require_transposed_matmul(a, b, c, "matmul_persistent");
  check(cudaFuncSetAttribute(matmul_persistent_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Shared)));
  const Work work{ceil_div(c.rows, BM), ceil_div(c.cols, BN), ceil_div(a.cols, BK)};
  const auto tiles = std::int64_t{work.tile_rows} * work.tile_cols;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, multiprocessor_count()));
  const bool by_tma = is_tensor(c);
  matmul_persistent_kernel<<<blocks, THREADS, sizeof(Shared), stream>>>(
      make_tensor_map(a, BM, BK), make_tensor_map(b, BN, BK),
      by_tma ? make_tensor_map(c, PIECE_ROWS, PIECE_COLS) : CUtensorMap{}, c, by_tma, work);
  check_launch();
}

}  // namespace tut::ch11
