//! [bug-invalid-sync]
//> // Its plain test passes, and yet it has a bug.
//! [bug-invalid-sync]
#include "06_finding_kernel_bugs/row_norms.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

constexpr int WARP = 32;
constexpr unsigned ALL_LANES = 0xFFFFFFFFu;

template <int BLOCK>
__global__ void row_norms_kernel(MatrixView<const float> in, float* squares) {
  constexpr int WARPS = BLOCK / WARP;
  static_assert(BLOCK % WARP == 0 && WARPS <= WARP, "one warp adds up what the warps found");
  __shared__ float partial[WARPS];

  const int tx = threadIdx.x;
  const int lane = tx % WARP;
  const int warp = tx / WARP;
  const int row = blockIdx.x;

  float sum = 0.0f;
  for (int col = tx; col < in.cols; col += BLOCK) sum += in(row, col) * in(row, col);
  for (int k = WARP / 2; k > 0; k /= 2) sum += __shfl_down_sync(ALL_LANES, sum, k);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();

  if (warp > 0) return;
  sum = lane < WARPS ? partial[lane] : 0.0f;
  //! [bug-invalid-sync]
  // All lanes of the warp make the call, so all are named.
  for (int k = WARPS / 2; k > 0; k /= 2) sum += __shfl_down_sync(ALL_LANES, sum, k);
  //> constexpr unsigned WITH_A_SUM = (1u << WARPS) - 1;
  //> for (int k = WARPS / 2; k > 0; k /= 2) sum += __shfl_down_sync(WITH_A_SUM, sum, k);
  //! [bug-invalid-sync]
  if (lane == 0) squares[row] = sum;
}

}  // namespace

void row_norms(MatrixView<const float> in, float* squares, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require_matrix(in, "in");
  row_norms_kernel<BLOCK><<<in.rows, BLOCK, 0, stream>>>(in, squares);
  check_launch();
}

}  // namespace tut::ch06
