#include "03_first_kernels/rgb_to_gray.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void rgb_to_gray_kernel(MatrixView<const uchar3> in, MatrixView<unsigned char> out) {
  //! [hole-pixel]
  // Which pixel is this thread's? Consecutive threadIdx.x, consecutive pixels of a row.
  // Threads outside the image have nothing to do.
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= out.rows || col >= out.cols) return;
  //! [hole-pixel]

  //! [hole-convert]
  // Weigh the three colours, round (+ 128), divide by 256. Does the sum fit an unsigned char?
  const uchar3 pixel = in(row, col);
  const int weighted = 77 * pixel.x + 150 * pixel.y + 29 * pixel.z;
  out(row, col) = static_cast<unsigned char>((weighted + 128) / 256);
  //! [hole-convert]
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  require_same_shape(in, "in", out, "out");

  dim3 block(1, 1);
  dim3 grid(1, 1);
  //! [hole-grid]
  // A warp shall lie along a row of the image; 256 threads a block; enough blocks for every
  // pixel.
  block = dim3(32, 8);
  grid = dim3(ceil_div(out.cols, 32), ceil_div(out.rows, 8));
  //! [hole-grid]
  rgb_to_gray_kernel<<<grid, block, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch03
