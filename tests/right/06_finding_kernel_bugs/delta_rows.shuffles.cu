// The element before comes from the lane before; the first lane of a warp loads it.
#include "06_finding_kernel_bugs/delta_rows.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void delta_rows_kernel(MatrixView<float> m) {
  const int row = blockIdx.x, lane = threadIdx.x % 32;
  __shared__ float last;  // of the part before, as it was
  for (int j0 = 0; j0 < m.cols; j0 += blockDim.x) {
    const int j = j0 + threadIdx.x;
    const float here = j < m.cols ? m(row, j) : 0.0f;
    float before = __shfl_up_sync(0xffffffff, here, 1);
    if (lane == 0 && j < m.cols) {
      before = threadIdx.x > 0 ? m(row, j - 1) : j0 > 0 ? last : 0.0f;
    }
    __syncthreads();
    if (j < m.cols) m(row, j) = here - before;
    if (threadIdx.x == blockDim.x - 1) last = here;
    __syncthreads();
  }
}

}  // namespace

void delta_rows(MatrixView<float> m, cudaStream_t stream) {
  require_matrix(m, "m");
  delta_rows_kernel<<<m.rows, 256, 0, stream>>>(m);
  check_launch();
}

}  // namespace tut::ch06
