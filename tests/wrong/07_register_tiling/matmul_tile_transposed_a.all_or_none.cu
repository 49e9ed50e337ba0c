// fails: budget
// says: bytes at a time on average
// Goes by words in all matrices where one begins anywhere.
#include "07_register_tiling/matmul_tile_transposed_a.hpp"

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch07 {
namespace {

constexpr int BM = 64, BN = 64, BK = 16;  // the block's tile of C, and its step of k
constexpr int TM = 4, TN = 4;             // the thread's tile
constexpr int THREADS_N = BN / TN, THREADS = BM / TM * THREADS_N;
static_assert(BK * BM == 4 * THREADS && BK * BN == 4 * THREADS, "four of each tile a thread");

__global__ void __launch_bounds__(THREADS)
    matmul_tile_transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                    MatrixView<float> c, bool vectors) {
  __shared__ alignas(16) float a_tile[BK][BM];  // (k, row)
  __shared__ alignas(16) float b_tile[BK][BN];  // (k, col)

  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;    // of the block's tile of C
  const int tx = thread % THREADS_N, ty = thread / THREADS_N;  // 16 x 16 threads

  float sums[TM][TN] = {};  // rows ty * 4 to ty * 4 + 3, columns tx * 4 to tx * 4 + 3
  for (int k0 = 0; k0 < a.rows; k0 += BK) {
    const int k = thread / 16, four = thread % 16 * 4;
    const float4 a_values = load4(a, k0 + k, row0 + four, vectors);
    const float4 b_values = load4(b, k0 + k, col0 + four, vectors);
    *reinterpret_cast<float4*>(&a_tile[k][four]) = a_values;
    *reinterpret_cast<float4*>(&b_tile[k][four]) = b_values;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_part[TM], b_part[TN];
      read4(&a_tile[k][ty * TM], a_part);
      read4(&b_tile[k][tx * TN], b_part);
      add_outer_product(a_part, b_part, sums);
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    store4(c, row0 + ty * TM + i, col0 + tx * TN, as_float4(sums[i]), vectors);
  }
}

}  // namespace

void matmul_tile_transposed_a(MatrixView<const float> a, MatrixView<const float> b,
                              MatrixView<float> c, cudaStream_t stream) {
  const MatrixView<const float> a_transposed{a.data, a.cols, a.rows, a.rows};  // shape only
  require_matmul_shapes(a_transposed, b, c);

  const bool vectors =
      is_float4_accessible(a) && is_float4_accessible(b) && is_float4_accessible(c);
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_tile_transposed_a_kernel<<<grid, THREADS, 0, stream>>>(a, b, c, vectors);
  check_launch();
}

}  // namespace tut::ch07
