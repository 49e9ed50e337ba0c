// fails: launch
// says: 65536x65536 pixels
// The pixels are counted in 32 bits.
#include "03_first_kernels/rgb_to_gray.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void rgb_to_gray_kernel(MatrixView<const uchar3> in, MatrixView<unsigned char> out) {
  const unsigned width = static_cast<unsigned>(out.cols);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= out.rows * width) return;
  const int row = static_cast<int>(i / width), col = static_cast<int>(i % width);
  const uchar3 pixel = in(row, col);
  const int weighted = 77 * pixel.x + 150 * pixel.y + 29 * pixel.z;
  out(row, col) = static_cast<unsigned char>((weighted + 128) / 256);
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  require_same_shape(in, "in", out, "out");
  const unsigned pixels = static_cast<unsigned>(out.rows) * static_cast<unsigned>(out.cols);
  rgb_to_gray_kernel<<<ceil_div(pixels, 256u), 256, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch03
