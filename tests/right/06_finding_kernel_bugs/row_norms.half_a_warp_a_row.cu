// Half a warp a row, with two loads on their way; shuffles that stay within the half.
#include "06_finding_kernel_bugs/row_norms.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

constexpr int LANES = 16, ROWS = 8;

__global__ void row_norms_kernel(MatrixView<const float> in, float* squares) {
  const std::int64_t row = std::int64_t{blockIdx.x} * ROWS + threadIdx.y;
  const bool is_row = row < in.rows;
  const float* const values = in.data + (is_row ? row : 0) * in.stride;
  float even = 0.0f, odd = 0.0f;
  if (is_row) {
    int j = threadIdx.x;
    for (; j + LANES < in.cols; j += 2 * LANES) {
      even = fmaf(values[j], values[j], even);
      odd = fmaf(values[j + LANES], values[j + LANES], odd);
    }
    if (j < in.cols) even = fmaf(values[j], values[j], even);
  }
  float sum = even + odd;
  for (int k = LANES / 2; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffff, sum, k, LANES);
  if (is_row && threadIdx.x == 0) squares[row] = sum;
}

}  // namespace

void row_norms(MatrixView<const float> in, float* squares, cudaStream_t stream) {
  require_matrix(in, "in");
  const int blocks = in.rows / ROWS + (in.rows % ROWS != 0);
  row_norms_kernel<<<blocks, dim3(LANES, ROWS), 0, stream>>>(in, squares);
  check_launch();
}

}  // namespace tut::ch06
