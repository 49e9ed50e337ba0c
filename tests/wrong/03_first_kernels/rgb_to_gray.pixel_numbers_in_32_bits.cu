// fails: values
// says: are pixels counted in 64 bits
// only: cpu backend, because a GPU's memory does not hold as many elements as it takes
// The number of a pixel is an unsigned of 32 bits, of enough threads.
#include "03_first_kernels/rgb_to_gray.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void rgb_to_gray_kernel(MatrixView<const uchar3> in, MatrixView<unsigned char> out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= static_cast<std::uint64_t>(out.rows) * static_cast<unsigned>(out.cols)) return;
  const int row = static_cast<int>(i / static_cast<unsigned>(out.cols));
  const int col = static_cast<int>(i % static_cast<unsigned>(out.cols));
  const uchar3 pixel = in(row, col);
  const int weighted = 77 * pixel.x + 150 * pixel.y + 29 * pixel.z;
  out(row, col) = static_cast<unsigned char>((weighted + 128) / 256);
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  require_same_shape(in, "in", out, "out");
  rgb_to_gray_kernel<<<static_cast<unsigned>(ceil_div(std::int64_t{out.rows} * out.cols, 256)), 256,
                       0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch03
