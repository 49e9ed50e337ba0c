#include "07_register_tiling/linear_relu_register.hpp"

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {
namespace {

constexpr int BM = 64, BN = 64, BK = 16;  // the block's tile of y, and its step of k
constexpr int TM = 4, TN = 4;             // the thread's tile
constexpr int THREADS_N = BN / TN, THREADS = BM / TM * THREADS_N;
constexpr int PAD = 4;  // words; rows still begin at multiples of 16 bytes
static_assert(BM * BK == 4 * THREADS && BN * BK == 4 * THREADS, "four of each tile a thread");

/// Stages four neighbours of row `row` of x or W, from k on, in a column of the tile.
__device__ void stage_transposed(float4 values, int row, int k, float (&tile)[BK][BM + PAD]) {
  tile[k][row] = values.x;
  tile[k + 1][row] = values.y;
  tile[k + 2][row] = values.z;
  tile[k + 3][row] = values.w;
}

__global__ void __launch_bounds__(THREADS)
    linear_relu_register_kernel(MatrixView<const float> x, MatrixView<const float> w,
                                MatrixView<const float> bias, MatrixView<float> y) {
  __shared__ alignas(16) float x_tile[BK][BM + PAD];  // (k, row of x)
  __shared__ alignas(16) float w_tile[BK][BN + PAD];  // (k, row of W)

  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;    // of the block's tile of y
  const int tx = thread % THREADS_N, ty = thread / THREADS_N;  // 16 x 16 threads
  const bool x_vectors = is_float4_accessible(x), w_vectors = is_float4_accessible(w);
  const bool bias_vectors = is_float4_accessible(bias), y_vectors = is_float4_accessible(y);

  float sums[TM][TN] = {};  // rows ty * 4 to ty * 4 + 3, columns tx * 4 to tx * 4 + 3
  for (int k0 = 0; k0 < x.cols; k0 += BK) {
    // TODO: Stage four neighbours of each tile: load4, then stage_transposed. Two lanes read 8 neighbours
    // of one row, a warp 16 rows: whole sectors, and no two lanes in one bank. Then a barrier.

    for (int k = 0; k < BK; ++k) {
      float x_part[TM], w_part[TN];
      read4(&x_tile[k][ty * TM], x_part);
      read4(&w_tile[k][tx * TN], w_part);
      add_outer_product(x_part, w_part, sums);
    }
    __syncthreads();
  }

  // TODO: Read the bias of this thread's four columns once, by load4: `bias` is a matrix of one row. Add
  // it to each row of sums, replace what is below 0 by 0 (a NaN is not below 0), and write the
  // four of a row by store4.
}

}  // namespace

void linear_relu_register(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                          MatrixView<float> y, cudaStream_t stream) {
  const MatrixView<const float> w_transposed{w.data, w.cols, w.rows, w.rows};  // shape only
  require_matmul_shapes(x, w_transposed, y);

  const MatrixView<const float> bias_row{bias, 1, y.cols, round_up(std::int64_t{y.cols}, 4)};
  const dim3 grid(ceil_div(y.cols, BN), ceil_div(y.rows, BM));
  linear_relu_register_kernel<<<grid, THREADS, 0, stream>>>(x, w, bias_row, y);
  check_launch();
}

}  // namespace tut::ch07
