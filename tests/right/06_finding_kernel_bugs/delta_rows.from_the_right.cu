// From right to left, without shared memory.
#include "06_finding_kernel_bugs/delta_rows.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

// From right to left, without shared memory: a round overwrites only what no later round reads.
__global__ void delta_rows_kernel(MatrixView<float> m) {
  const int threads = blockDim.x;
  float* const row = m.data + blockIdx.x * m.stride;
  for (int round = ceil_div(m.cols, threads) - 1; round >= 0; --round) {
    const int col = round * threads + static_cast<int>(threadIdx.x);
    const bool has_left = col > 0 && col < m.cols;
    float difference = 0.0f;
    if (has_left) difference = row[col] - row[col - 1];
    __syncthreads();  // all have read before one writes
    if (has_left) row[col] = difference;
  }
}

}  // namespace

void delta_rows(MatrixView<float> m, cudaStream_t stream) {
  require_matrix(m, "m");
  delta_rows_kernel<<<static_cast<unsigned>(m.rows), 512, 0, stream>>>(m);
  check_launch();
}

}  // namespace tut::ch06
