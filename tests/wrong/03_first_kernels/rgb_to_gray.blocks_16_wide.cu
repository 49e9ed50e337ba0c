// fails: budget
// says: sectors
// A block of 16 x 16: its rows end in the middle of a sector, and the next block moves it again.
#include "03_first_kernels/rgb_to_gray.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

constexpr int SIDE = 16;  // of a block: 256 threads

__global__ void rgb_to_gray_kernel(MatrixView<const uchar3> in, MatrixView<unsigned char> out) {
  const int col = blockIdx.x * SIDE + threadIdx.x;
  const int row = blockIdx.y * SIDE + threadIdx.y;
  if (row >= out.rows || col >= out.cols) return;

  const uchar3 pixel = in(row, col);
  const int sum = 77 * pixel.x + 150 * pixel.y + 29 * pixel.z + 128;
  out(row, col) = static_cast<unsigned char>(sum / 256);
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  require_same_shape(in, "in", out, "out");

  const dim3 block(SIDE, SIDE);
  const dim3 grid(ceil_div(out.cols, SIDE), ceil_div(out.rows, SIDE));
  rgb_to_gray_kernel<<<grid, block, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch03
