#include "04_naive_cuda_matmul/matmul_coalesced.hpp"
#include "04_naive_cuda_matmul/matmul_uncoalesced.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

constexpr int BLOCK = 32;

//! [kernel]
// Whether threads with consecutive threadIdx.x, neighbours in a warp, compute elements of C that
// are neighbours in a column (successive rows) or in a row (successive columns).
enum class Neighbours { rows, columns };

template <Neighbours NEIGHBOURS>
__global__ void matmul_naive_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                    MatrixView<float> c) {
  //! [map]
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int row = NEIGHBOURS == Neighbours::rows ? x : y;
  const int col = NEIGHBOURS == Neighbours::rows ? y : x;
  //! [map]
  if (row >= c.rows || col >= c.cols) return;

  //! [sum]
  float sum = 0.0f;
  for (int k = 0; k < a.cols; ++k) sum += a(row, k) * b(k, col);
  c(row, col) = sum;
  //! [sum]
}
//! [kernel]

}  // namespace

void matmul_uncoalesced(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        cudaStream_t stream) {
  require_matmul_shapes(a, b, c);

  const dim3 block(BLOCK, BLOCK);
  const dim3 grid(ceil_div(c.rows, BLOCK), ceil_div(c.cols, BLOCK));
  matmul_naive_kernel<Neighbours::rows><<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

void matmul_coalesced(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                      cudaStream_t stream) {
  require_matmul_shapes(a, b, c);

  //! [launch]
  const dim3 block(BLOCK, BLOCK);
  const dim3 grid(ceil_div(c.cols, BLOCK), ceil_div(c.rows, BLOCK));
  matmul_naive_kernel<Neighbours::columns><<<grid, block, 0, stream>>>(a, b, c);
  //! [launch]
  check_launch();
}

}  // namespace tut::ch04
