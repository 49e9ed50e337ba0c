// fails: values
// Refuses only an image for the grays that is too small.
#include "03_first_kernels/rgb_to_gray.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void rgb_to_gray_kernel(MatrixView<const uchar3> in, MatrixView<unsigned char> out) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= in.rows || col >= in.cols) return;
  const uchar3 pixel = in(row, col);
  const int weighted = 77 * pixel.x + 150 * pixel.y + 29 * pixel.z;
  out(row, col) = static_cast<unsigned char>((weighted + 128) / 256);
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  require(out.rows >= in.rows && out.cols >= in.cols, "out is too small");
  require_matrix(in, "in");
  require_matrix(out, "out");
  rgb_to_gray_kernel<<<dim3(ceil_div(in.cols, 32), ceil_div(in.rows, 8)), dim3(32, 8), 0, stream>>>(
      in, out);
  check_launch();
}

}  // namespace tut::ch03
