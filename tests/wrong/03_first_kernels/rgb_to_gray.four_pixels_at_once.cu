// fails: misaligned
// Takes rows that are a multiple of 4 bytes long to begin at one, and writes four pixels at a time.
#include "03_first_kernels/rgb_to_gray.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void rgb_to_gray_kernel(MatrixView<const uchar3> in, MatrixView<unsigned char> out) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= out.rows || col >= out.cols) return;

  const uchar3 pixel = in(row, col);
  const int weighted = 77 * pixel.x + 150 * pixel.y + 29 * pixel.z;
  const int gray = (weighted + 128) / 256;
  if (out.cols % 4 != 0 || out.stride % 4 != 0) {
    out(row, col) = static_cast<unsigned char>(gray);
    return;
  }
  // Each of four neighbours hands its value to the first of them.
  const unsigned lanes = __activemask();
  unsigned word = 0;
  for (int i = 0; i < 4; ++i) {
    const int lane = static_cast<int>(threadIdx.x) / 4 * 4 + i;
    word |= static_cast<unsigned>(__shfl_sync(lanes, gray, lane)) << (8 * i);
  }
  if (col % 4 == 0) *reinterpret_cast<unsigned*>(&out(row, col)) = word;
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  require_same_shape(in, "in", out, "out");

  dim3 block(1, 1);
  dim3 grid(1, 1);
  block = dim3(32, 8);
  grid = dim3(ceil_div(out.cols, 32), ceil_div(out.rows, 8));
  rgb_to_gray_kernel<<<grid, block, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch03
