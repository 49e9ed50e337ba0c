// One index counts the pixels of the image row by row.
#include "03_first_kernels/rgb_to_gray.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void gray_kernel(MatrixView<const uchar3> in, MatrixView<unsigned char> out) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= std::int64_t{out.rows} * out.cols) return;
  const int row = static_cast<int>(i / out.cols), col = static_cast<int>(i % out.cols);
  const uchar3 p = in(row, col);
  out(row, col) = static_cast<unsigned char>((77u * p.x + 150u * p.y + 29u * p.z + 128u) >> 8);
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  require_same_shape(in, "in", out, "out");
  const std::int64_t pixels = std::int64_t{out.rows} * out.cols;
  gray_kernel<<<static_cast<unsigned>((pixels + 127) / 128), 128, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch03
