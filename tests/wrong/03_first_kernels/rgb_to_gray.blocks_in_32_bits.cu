// fails: values
// says: 2^29 pixels apart
// Computes in 32 bits where the rows of a block begin.
#include "03_first_kernels/rgb_to_gray.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void rgb_to_gray_kernel(MatrixView<const uchar3> in, MatrixView<unsigned char> out) {
  // Which pixel is this thread's? Consecutive threadIdx.x, consecutive pixels of a row.
  // Threads outside the image have nothing to do.
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= out.rows || col >= out.cols) return;
  in.data += blockIdx.y * blockDim.y * static_cast<unsigned>(in.stride);  // to the block's rows
  out.data += blockIdx.y * blockDim.y * static_cast<unsigned>(out.stride);

  // Weigh the three colours, round (+ 128), divide by 256. Does the sum fit an unsigned char?
  const uchar3 pixel = in(threadIdx.y, col);
  const int weighted = 77 * pixel.x + 150 * pixel.y + 29 * pixel.z;
  out(threadIdx.y, col) = static_cast<unsigned char>((weighted + 128) / 256);
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  require_same_shape(in, "in", out, "out");

  dim3 block(1, 1);
  dim3 grid(1, 1);
  // A warp shall lie along a row of the image; 256 threads a block; enough blocks for every
  // pixel.
  block = dim3(32, 8);
  grid = dim3(ceil_div(out.cols, 32), ceil_div(out.rows, 8));
  rgb_to_gray_kernel<<<grid, block, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch03
