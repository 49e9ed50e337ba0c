// fails: race
// Fills the stage that slow warps still multiply.
#include "07_register_tiling/matmul_three_stages.hpp"

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {
namespace {

constexpr int BM = 64, BN = 64, BK = 16;  // the block's tile of C, and its step of k
constexpr int TM = 4, TN = 4;             // the thread's tile
constexpr int THREADS_N = BN / TN, THREADS = BM / TM * THREADS_N;
constexpr int STAGES = 3;
constexpr int PAD = 4;
static_assert(BK * BN == 4 * THREADS && BM * BK % THREADS == 0, "equally many copies a thread");

/// The tiles of one step of k.
struct Stage {
  alignas(16) float a[BK][BM + PAD];  // (k, row)
  alignas(16) float b[BK][BN];        // (k, col)
};

/// Starts this thread's copies of the tiles at row0, col0 and k0.
__device__ void start_copies(MatrixView<const float> a, MatrixView<const float> b, int row0,
                             int col0, int k0, Stage& stage) {
  const int thread = threadIdx.x;
  for (int i = thread; i < BM * BK; i += THREADS) {
    const int k = i / (8 * BM) * 8 + i % 8, row = i / 8 % BM;
    copy1(&stage.a[k][row], a, row0 + row, k0 + k);
  }
  const int k = thread / (BN / 4), col = thread % (BN / 4) * 4;
  copy4(&stage.b[k][col], b, k0 + k, col0 + col, is_float4_accessible(b));
}

/// Adds the products of one stage to the thread's sums.
__device__ void multiply(const Stage& stage, int row, int col, float (&sums)[TM][TN]) {
  for (int k = 0; k < BK; ++k) {
    float a_part[TM], b_part[TN];
    read4(&stage.a[k][row], a_part);
    read4(&stage.b[k][col], b_part);
    add_outer_product(a_part, b_part, sums);
  }
}

__global__ void __launch_bounds__(THREADS)
    matmul_three_stages_kernel(MatrixView<const float> a, MatrixView<const float> b,
                               MatrixView<float> c) {
  __shared__ Stage stages[STAGES];
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
  const int row = static_cast<int>(threadIdx.x) / THREADS_N * TM;
  const int col = static_cast<int>(threadIdx.x) % THREADS_N * TN;
  const int steps = (a.cols + BK - 1) / BK;

  float sums[TM][TN] = {};
  for (int step = 0; step < STAGES - 1; ++step) {
    if (step < steps) start_copies(a, b, row0, col0, step * BK, stages[step]);
    __pipeline_commit();
  }

  for (int step = 0; step < steps; ++step) {
    const int later = step + STAGES - 1;
    if (later < steps) start_copies(a, b, row0, col0, later * BK, stages[later % STAGES]);
    __pipeline_commit();
    __pipeline_wait_prior(STAGES - 1);
    __syncthreads();

    multiply(stages[step % STAGES], row, col, sums);
  }

  for (int i = 0; i < TM; ++i) {
    store4(c, row0 + row + i, col0 + col, as_float4(sums[i]), is_float4_accessible(c));
  }
}

}  // namespace

void matmul_three_stages(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  require_matmul_shapes(a, b, c);

  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_three_stages_kernel<<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
