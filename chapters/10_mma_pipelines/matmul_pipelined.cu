#include "10_mma_pipelines/matmul_pipelined.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/warp_tile.cuh"
#include "tut/device/compute_capability.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch10 {
namespace {

constexpr int BM = 128, BN = 256, BK = 64;  // the block's tile of C, and its step of k
constexpr int ROUNDS = BK / MMA_K;          // of products in a step
constexpr int WARPS_ACROSS = BN / WARP_N, WARPS = BM / WARP_M * WARPS_ACROSS, THREADS = 32 * WARPS;

/// The swizzled tiles of one step of k.
template <class T>
struct Stage {
  T a[BM * BK];  // (row, k)
  T b[BK * BN];  // (k, col)
};

/// 16 rows of a warp's sums on their way to C. Four rows begin in different banks: 8 apart.
using StoreTile = float[MMA_M][WARP_N + 8];
static_assert(sizeof(StoreTile[WARPS]) <= sizeof(Stage<__half>), "a stage has room for them");

//! [store]
/// Writes a warp's sums to the 64 x 64 of C at (row, col), what lies inside of C, by way of shared
/// memory: 16 lanes write 64 neighbours of a row, 16 bytes each. `vectors`:
/// is_float4_accessible(c).
__device__ void store_sums(MatrixView<float> c, int row, int col, bool vectors,
                           const WarpSums& sums, StoreTile& tile) {
  const int lane = lane_of_thread();
#pragma unroll
  for (int i = 0; i < WARP_M / MMA_M; ++i) {
    __syncwarp();  // no lane overwrites what another still reads
#pragma unroll
    for (int j = 0; j < WARP_N / MMA_N; ++j) {
#pragma unroll
      for (int e = 0; e < 4; e += 2) {
        const Place at = sum_place(lane, e);
        *reinterpret_cast<float2*>(&tile[at.row][j * MMA_N + at.col]) =
            make_float2(sums[i][j][e], sums[i][j][e + 1]);
      }
    }
    __syncwarp();
    for (int r = lane / 16; r < MMA_M; r += 2) {
      const int to_row = row + i * MMA_M + r, to_col = col + lane % 16 * 4;
      if (to_row >= c.rows) break;
      const float* from = &tile[r][lane % 16 * 4];
      if (vectors && to_col + 4 <= c.cols) {
        *reinterpret_cast<float4*>(&c(to_row, to_col)) = *reinterpret_cast<const float4*>(from);
        continue;
      }
      for (int n = 0; n < 4 && to_col + n < c.cols; ++n) c(to_row, to_col + n) = from[n];
    }
  }
}
//! [store]

/// WHOLE: tiles divide all sizes, and rows of A and B can be read 16 bytes at a time.
template <class T, int STAGES, bool WHOLE>
__global__ void __launch_bounds__(THREADS, 1)
    matmul_pipelined_kernel(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c) {
  if constexpr (has_mma<T>) {
    extern __shared__ __align__(128) unsigned char memory[];
    auto* stages = reinterpret_cast<Stage<T>*>(memory);
    const int warp = threadIdx.x / 32;
    //! [place]
    const BlockPlace tile = block_place(blockIdx.x, (c.rows + BM - 1) / BM, (c.cols + BN - 1) / BN);
    const int row0 = static_cast<int>(tile.row) * BM, col0 = static_cast<int>(tile.col) * BN;
    //! [place]
    const int row = warp / WARPS_ACROSS * WARP_M, col = warp % WARPS_ACROSS * WARP_N;  // in it
    const bool a_vectors = ch09::is_float4_accessible(a), b_vectors = ch09::is_float4_accessible(b);
    const int steps = (a.cols + BK - 1) / BK;
    //! [copy]
    // Starts one of the parts of the copies for a step. At edges, where a copy is many
    // instructions, there is one part.
    constexpr int PARTS = WHOLE ? ROUNDS : 1;
    const auto copy = [&](int step, int part) {
      if (step >= steps || part >= PARTS) return;
      Stage<T>& stage = stages[step % STAGES];
      copy_tile<THREADS, BM, BK, PARTS, WHOLE>(a, row0, step * BK, a_vectors, stage.a, part);
      copy_tile<THREADS, BK, BN, PARTS, WHOLE>(b, step * BK, col0, b_vectors, stage.b, part);
    };
    //! [copy]
    const auto load = [&](WarpFragments& parts, int step, int round) {
      const Stage<T>& stage = stages[step % STAGES];
      parts.template load<BK, BN>(stage.a, stage.b, row, col, round * MMA_K);
    };

    WarpSums sums = {};
    WarpFragments parts[2];  // one is multiplied while the other is loaded
    //! [pipeline]
    for (int step = 0; step < STAGES - 1; ++step) {
      for (int part = 0; part < ROUNDS; ++part) copy(step, part);
      ptx::cp_async_commit_group();
    }
    ptx::cp_async_wait_group<STAGES - 2>();
    __syncthreads();
    load(parts[0], 0, 0);
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int round = 0; round < ROUNDS; ++round) {
        if (round + 1 < ROUNDS) {
          load(parts[(round + 1) % 2], step, round + 1);
          copy(step + STAGES - 1, round);  // into the stage of the step before
        } else {
          copy(step + STAGES - 1, round);
          ptx::cp_async_commit_group();
          ptx::cp_async_wait_group<STAGES - 2>();  // the next step's copies have arrived
          __syncthreads();  // everybody's; and nobody loads from this step's stage any more
          if (step + 1 < steps) load(parts[0], step + 1, 0);
        }
        multiply_add<T>(sums, parts[round % 2]);
      }
    }
    //! [pipeline]

    StoreTile& own = reinterpret_cast<StoreTile*>(memory)[warp];  // nobody uses the stages any more
    store_sums(c, row0 + row, col0 + col, ch09::is_float4_accessible(c), sums, own);
  }
}

template <int STAGES, bool WHOLE, class T>
void launch(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c,
            cudaStream_t stream) {
  constexpr int SHARED_BYTES = STAGES * sizeof(Stage<T>);
  const auto kernel = matmul_pipelined_kernel<T, STAGES, WHOLE>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
  const auto blocks = std::int64_t{ceil_div(c.rows, BM)} * ceil_div(c.cols, BN);
  kernel<<<static_cast<unsigned>(blocks), THREADS, SHARED_BYTES, stream>>>(a, b, c);
  check_launch();
}

template <class T>
void launch_fitting(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c,
                    cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_compute_capability(MMA_CAPABILITY, "matmul_pipelined", compute_capability());
  int device = 0, room = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const bool three = room >= static_cast<int>(3 * sizeof(Stage<T>));
  const bool whole = c.rows % BM == 0 && c.cols % BN == 0 && a.cols % BK == 0 &&
                     ch09::is_float4_accessible(a) && ch09::is_float4_accessible(b);
  const auto chosen = three ? (whole ? launch<3, true, T> : launch<3, false, T>)
                            : (whole ? launch<2, true, T> : launch<2, false, T>);
  chosen(a, b, c, stream);
}

}  // namespace

void matmul_pipelined(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                      cudaStream_t stream) {
  launch_fitting(a, b, c, stream);
}

void matmul_pipelined(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                      MatrixView<float> c, cudaStream_t stream) {
  launch_fitting(a, b, c, stream);
}

}  // namespace tut::ch10
