// Blocks of 32 x 32; addresses are computed early.
#include "03_first_kernels/rgb_to_gray.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

__device__ unsigned char gray_of(uchar3 pixel) {
  int sum = 128;
  sum += pixel.x * 77;
  sum += pixel.y * 150;
  sum += pixel.z * 29;
  return static_cast<unsigned char>(sum / 256);
}

__global__ void gray_kernel(MatrixView<const uchar3> in, MatrixView<unsigned char> out) {
  const int x = threadIdx.x + blockIdx.x * 32, y = threadIdx.y + blockIdx.y * 32;
  const uchar3* const from = in.data + y * in.stride + x;
  unsigned char* const to = out.data + y * out.stride + x;
  if (x < in.cols && y < in.rows) *to = gray_of(*from);
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  require_same_shape(in, "in", out, "out");
  const dim3 grid(ceil_div(in.cols, 32), ceil_div(in.rows, 32));
  gray_kernel<<<grid, dim3(32, 32), 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch03
