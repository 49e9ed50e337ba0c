#include "09_wmma/matmul_wmma_tiled.hpp"

#include "09_wmma/fragments.hpp"
#include "09_wmma/staging.hpp"
#include "tut/device/tensor_cores.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int BM = 128, BN = 256, BK = 32;  // the block's tile of C, and its step of k
constexpr int WM = 64, WN = 64;             // the warp's tile of C
constexpr int PARTS_M = WM / TILE, PARTS_N = WN / TILE;
constexpr int WARPS_ACROSS = BN / WN, WARPS = BM / WM * WARPS_ACROSS, THREADS = 32 * WARPS;

//! [stage]
/// The tiles of one step of k.
template <class T>
struct Stage {
  T a[BM][BK + PAD];  // (row, k)
  T b[BK][BN + PAD];  // (k, col)
};
//! [stage]

using EdgeTile = float[TILE][STAGE_STRIDE];
static_assert(sizeof(EdgeTile[WARPS]) <= sizeof(Stage<__half>), "a stage has room for them");

//! [multiply]
/// Adds the product of the warp's rows of A's tile, 16 columns from k on, and its columns of B's to
/// its sums.
template <class T>
__device__ void multiply(const Stage<T>& stage, int k, int row, int col,
                         Accumulator (&sums)[PARTS_M][PARTS_N]) {
  FragmentA<T> a_parts[PARTS_M];
  FragmentB<T> b_parts[PARTS_N];
  for (int i = 0; i < PARTS_M; ++i) {
    wmma::load_matrix_sync(a_parts[i], &stage.a[row + i * TILE][k], BK + PAD);
  }
  for (int j = 0; j < PARTS_N; ++j) {
    wmma::load_matrix_sync(b_parts[j], &stage.b[k][col + j * TILE], BN + PAD);
  }
  for (int i = 0; i < PARTS_M; ++i) {
    for (int j = 0; j < PARTS_N; ++j) {
      wmma::mma_sync(sums[i][j], a_parts[i], b_parts[j], sums[i][j]);
    }
  }
}
//! [multiply]

template <class T, int STAGES>
__global__ void __launch_bounds__(THREADS, 1)
    matmul_wmma_tiled_kernel(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c) {
  if constexpr (fragments_exist<T>) {
    extern __shared__ uint4 memory[];
    auto* stages = reinterpret_cast<Stage<T>*>(memory);
    const int warp = threadIdx.x / 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
    const int row = warp / WARPS_ACROSS * WM, col = warp % WARPS_ACROSS * WN;  // in it
    const bool a_vectors = is_float4_accessible(a), b_vectors = is_float4_accessible(b);
    const int steps = (a.cols + BK - 1) / BK;
    const auto copy = [&](int step) {
      if (step < steps) {
        Stage<T>& stage = stages[step % STAGES];
        stage_tile<THREADS, BK, true>(a, row0, step * BK, a_vectors, stage.a);
        stage_tile<THREADS, BN, true>(b, step * BK, col0, b_vectors, stage.b);
      }
      __pipeline_commit();  // an empty group, too: wait_prior counts groups
    };

    Accumulator sums[PARTS_M][PARTS_N];
    for (auto& line : sums) {
      for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
    }
    //! [pipeline]
    for (int step = 0; step < STAGES - 1; ++step) copy(step);
    for (int step = 0; step < steps; ++step) {
      __pipeline_wait_prior(STAGES - 2);  // this thread's copies for this step have arrived
      __syncthreads();                    // and all threads'; nobody is at the step before any more
#pragma unroll
      for (int k = 0; k < BK; k += TILE) {
        multiply(stages[step % STAGES], k, row, col, sums);
        if (k == 0) copy(step + STAGES - 1);  // into the stage of the step before
      }
    }
    //! [pipeline]

    __syncthreads();  // the stages become room for tiles at the edge
    EdgeTile& edge = reinterpret_cast<EdgeTile*>(memory)[warp];
    const bool direct = takes_fragments(c);
    for (int i = 0; i < PARTS_M; ++i) {
      for (int j = 0; j < PARTS_N; ++j) {
        store_tile(c, row0 + row + i * TILE, col0 + col + j * TILE, sums[i][j], direct, edge);
      }
    }
  }
}

template <class T, int STAGES>
void launch(const char* name, MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c,
            cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_tensor_cores<T>(name);

  constexpr int SHARED_BYTES = STAGES * sizeof(Stage<T>);
  const auto kernel = matmul_wmma_tiled_kernel<T, STAGES>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  kernel<<<grid, THREADS, SHARED_BYTES, stream>>>(a, b, c);
  check_launch();
}

template <class T>
void launch_tiled(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c,
                  cudaStream_t stream) {
  int device = 0, room = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (room >= static_cast<int>(3 * sizeof(Stage<T>))) {
    launch<T, 3>("matmul_wmma_tiled", a, b, c, stream);
  } else {
    launch<T, 2>("matmul_wmma_tiled", a, b, c, stream);
  }
}

}  // namespace

void matmul_wmma_tiled(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                       cudaStream_t stream) {
  launch_tiled(a, b, c, stream);
}

void matmul_wmma_tiled(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                       MatrixView<float> c, cudaStream_t stream) {
  launch_tiled(a, b, c, stream);
}

void matmul_wmma_two_stages(MatrixView<const __half> a, MatrixView<const __half> b,
                            MatrixView<float> c, cudaStream_t stream) {
  launch<__half, 2>("matmul_wmma_two_stages", a, b, c, stream);
}

void matmul_wmma_two_stages(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                            MatrixView<float> c, cudaStream_t stream) {
  launch<__nv_bfloat16, 2>("matmul_wmma_two_stages", a, b, c, stream);
}

}  // namespace tut::ch09
