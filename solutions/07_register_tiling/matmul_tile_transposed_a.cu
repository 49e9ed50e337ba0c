#include "07_register_tiling/matmul_tile_transposed_a.hpp"

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
static_assert(BK * BM == 4 * THREADS && BK * BN == 4 * THREADS, "four of each tile a thread");

__global__ void __launch_bounds__(THREADS)
    matmul_tile_transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                    MatrixView<float> c) {
  __shared__ alignas(16) float a_tile[BK][BM];  // (k, row)
  __shared__ alignas(16) float b_tile[BK][BN];  // (k, col)

  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;    // of the block's tile of C
  const int tx = thread % THREADS_N, ty = thread / THREADS_N;  // 16 x 16 threads
  const bool a_vectors = is_float4_accessible(a), b_vectors = is_float4_accessible(b);
  const bool c_vectors = is_float4_accessible(c);

  float sums[TM][TN] = {};  // rows ty * 4 to ty * 4 + 3, columns tx * 4 to tx * 4 + 3
  for (int k0 = 0; k0 < a.rows; k0 += BK) {
    //! [hole-stage]
    // Stage four neighbours of each tile, read by load4 and written by one store of a float4 each.
    // A is (K, M): which of its indices is k? A warp should read whole rows of 64. Then a barrier.
    const int k = thread / (BM / 4), i = thread % (BM / 4) * 4;
    const float4 a_values = load4(a, k0 + k, row0 + i, a_vectors);
    const float4 b_values = load4(b, k0 + k, col0 + i, b_vectors);
    *reinterpret_cast<float4*>(&a_tile[k][i]) = a_values;
    *reinterpret_cast<float4*>(&b_tile[k][i]) = b_values;
    __syncthreads();
    //! [hole-stage]

    //! [hole-multiply]
    // For each k: read this thread's four of A and four of B by read4, and add their outer product
    // to sums (add_outer_product). Then the barrier that the next round needs.
    for (int kk = 0; kk < BK; ++kk) {
      float a_part[TM], b_part[TN];
      read4(&a_tile[kk][ty * TM], a_part);
      read4(&b_tile[kk][tx * TN], b_part);
      add_outer_product(a_part, b_part, sums);
    }
    __syncthreads();
    //! [hole-multiply]
  }

  //! [hole-write]
  // Write the four rows of sums by store4, which leaves out what lies outside C.
  for (int i = 0; i < TM; ++i) {
    store4(c, row0 + ty * TM + i, col0 + tx * TN, as_float4(sums[i]), c_vectors);
  }
  //! [hole-write]
}

}  // namespace

void matmul_tile_transposed_a(MatrixView<const float> a, MatrixView<const float> b,
                              MatrixView<float> c, cudaStream_t stream) {
  const MatrixView<const float> a_transposed{a.data, a.cols, a.rows, a.rows};  // shape only
  require_matmul_shapes(a_transposed, b, c);

  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_tile_transposed_a_kernel<<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
