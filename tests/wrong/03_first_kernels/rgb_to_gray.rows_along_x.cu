// fails: budget
// says: where 1 would do
// x runs down the image: the pixels of a warp are a row apart.
#include "03_first_kernels/rgb_to_gray.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void rgb_to_gray_kernel(MatrixView<const uchar3> in, MatrixView<unsigned char> out) {
  const int row = blockIdx.y * blockDim.x + threadIdx.x;
  const int col = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= out.rows || col >= out.cols) return;

  const uchar3 pixel = in(row, col);
  const int weighted = 77 * pixel.x + 150 * pixel.y + 29 * pixel.z;
  out(row, col) = static_cast<unsigned char>((weighted + 128) / 256);
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  require_same_shape(in, "in", out, "out");

  dim3 block(1, 1);
  dim3 grid(1, 1);
  block = dim3(32, 8);
  grid = dim3(ceil_div(out.cols, 8), ceil_div(out.rows, 32));
  rgb_to_gray_kernel<<<grid, block, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch03
