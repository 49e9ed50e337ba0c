// fails: launch
// says: 524280x1 pixels
// Blocks of 64 x 4: an image of 524,280 rows takes more of them than a grid has in y.
#include "03_first_kernels/rgb_to_gray.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void rgb_to_gray_kernel(MatrixView<const uchar3> in, MatrixView<unsigned char> out) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= out.rows || col >= out.cols) return;
  const uchar3 pixel = in(row, col);
  const int weighted = 77 * pixel.x + 150 * pixel.y + 29 * pixel.z;
  out(row, col) = static_cast<unsigned char>((weighted + 128) / 256);
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  require_same_shape(in, "in", out, "out");
  rgb_to_gray_kernel<<<dim3(ceil_div(out.cols, 64), ceil_div(out.rows, 4)), dim3(64, 4), 0,
                       stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch03
