// fails: values
// Looks at the sizes alone.
#include "03_first_kernels/rgb_to_gray.hpp"

#include <stdexcept>

#include "tut/check.hpp"
#include "tut/math.hpp"

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
  if (in.rows != out.rows || in.cols != out.cols) throw std::invalid_argument("shapes differ");
  if (in.rows < 1 || in.cols < 1) throw std::invalid_argument("there are no pixels");

  const dim3 block = dim3(32, 8);
  const dim3 grid = dim3(ceil_div(out.cols, 32), ceil_div(out.rows, 8));
  rgb_to_gray_kernel<<<grid, block, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch03
