#include "09_wmma/matmul_wmma.hpp"

#include "09_wmma/fragments.hpp"
#include "tut/device/tensor_cores.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

//! [kernel]
template <class T>
__global__ void matmul_wmma_kernel(MatrixView<const T> a, MatrixView<const T> b,
                                   MatrixView<float> c) {
  if constexpr (fragments_exist<T>) {
    __shared__ alignas(32) T stage[TILE][STAGE_STRIDE];  // (row, col) of a tile at the edge
    __shared__ alignas(32) float c_stage[TILE][STAGE_STRIDE];
    const int row = blockIdx.y * TILE;  // of the warp's tile of C
    const int col = blockIdx.x * TILE;
    const bool a_direct = takes_fragments(a), b_direct = takes_fragments(b);

    Accumulator sum;  // (16, 16) of C, 8 elements in each lane
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < a.cols; k += TILE) {
      FragmentA<T> a_part;  // (16, 16) of A
      FragmentB<T> b_part;  // (16, 16) of B
      load_tile(a_part, a, row, k, a_direct, stage);
      load_tile(b_part, b, k, col, b_direct, stage);
      wmma::mma_sync(sum, a_part, b_part, sum);
    }
    store_tile(c, row, col, sum, takes_fragments(c), c_stage);
  }
}
//! [kernel]

template <class T>
void launch(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c,
            cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_tensor_cores<T>("matmul_wmma");

  //! [launch]
  const dim3 grid(ceil_div(c.cols, TILE), ceil_div(c.rows, TILE));
  matmul_wmma_kernel<T><<<grid, 32, 0, stream>>>(a, b, c);
  //! [launch]
  check_launch();
}

}  // namespace

void matmul_wmma(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                 cudaStream_t stream) {
  launch(a, b, c, stream);
}

void matmul_wmma(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                 MatrixView<float> c, cudaStream_t stream) {
  launch(a, b, c, stream);
}

}  // namespace tut::ch09
