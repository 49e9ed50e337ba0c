#include "03_first_kernels/brighten.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

//! [kernel]
__global__ void brighten_kernel(MatrixView<const unsigned char> in, MatrixView<unsigned char> out,
                                int offset) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= out.rows || col >= out.cols) return;

  const int value = in(row, col) + offset;
  out(row, col) = static_cast<unsigned char>(min(max(value, 0), 255));
}
//! [kernel]

}  // namespace

void brighten(MatrixView<const unsigned char> in, MatrixView<unsigned char> out, int offset,
              cudaStream_t stream) {
  require_same_shape(in, "in", out, "out");

  //! [launch]
  const dim3 block(32, 8);
  const dim3 grid(ceil_div(out.cols, 32), ceil_div(out.rows, 8));
  brighten_kernel<<<grid, block, 0, stream>>>(in, out, offset);
  //! [launch]
  check_launch();
}

}  // namespace tut::ch03
