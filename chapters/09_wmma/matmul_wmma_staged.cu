#include "09_wmma/matmul_wmma_staged.hpp"

#include "09_wmma/fragments.hpp"
#include "09_wmma/staging.hpp"
#include "tut/device/tensor_cores.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

template <class T, int BM, int BN, int BK>
__global__ void __launch_bounds__(BM / TILE * BN / TILE * 32)
    matmul_wmma_staged_kernel(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c) {
  constexpr int WARPS_ACROSS = BN / TILE;
  constexpr int WARPS = BM / TILE * WARPS_ACROSS;
  if constexpr (fragments_exist<T>) {
    //! [tiles]
    __shared__ alignas(32) T a_tile[BM][BK + PAD];  // (row, k)
    __shared__ alignas(32) T b_tile[BK][BN + PAD];  // (k, col)
    //! [tiles]
    __shared__ alignas(32) float c_stage[WARPS][TILE][STAGE_STRIDE];
    const int warp = threadIdx.x / 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
    const int row = warp / WARPS_ACROSS * TILE;                // of the warp's tile in it
    const int col = warp % WARPS_ACROSS * TILE;
    const bool a_vectors = is_float4_accessible(a), b_vectors = is_float4_accessible(b);

    Accumulator sum;
    wmma::fill_fragment(sum, 0.0f);
    //! [staged]
    for (int k0 = 0; k0 < a.cols; k0 += BK) {
      stage_tile<32 * WARPS, BK>(a, row0, k0, a_vectors, a_tile);
      stage_tile<32 * WARPS, BN>(b, k0, col0, b_vectors, b_tile);
      __syncthreads();
      for (int k = 0; k < BK; k += TILE) {
        FragmentA<T> a_part;
        FragmentB<T> b_part;
        wmma::load_matrix_sync(a_part, &a_tile[row][k], BK + PAD);
        wmma::load_matrix_sync(b_part, &b_tile[k][col], BN + PAD);
        wmma::mma_sync(sum, a_part, b_part, sum);
      }
      __syncthreads();
    }
    //! [staged]
    store_tile(c, row0 + row, col0 + col, sum, takes_fragments(c), c_stage[warp]);
  }
}

template <class T>
void launch(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c,
            cudaStream_t stream) {
  constexpr int BM = 64, BN = 64, BK = 32;
  require_matmul_shapes(a, b, c);
  require_tensor_cores<T>("matmul_wmma_staged");

  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  constexpr int THREADS = BM / TILE * BN / TILE * 32;
  matmul_wmma_staged_kernel<T, BM, BN, BK><<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace

void matmul_wmma_staged(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                        cudaStream_t stream) {
  launch(a, b, c, stream);
}

void matmul_wmma_staged(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                        MatrixView<float> c, cudaStream_t stream) {
  launch(a, b, c, stream);
}

}  // namespace tut::ch09
