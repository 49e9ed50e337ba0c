// Reads the colours as bytes, by a pointer to the row; a block for a row, or for several.
#include "03_first_kernels/rgb_to_gray.hpp"

#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch03 {
namespace {

__global__ void gray_kernel(const unsigned char* in, std::int64_t in_pitch, unsigned char* out,
                            std::int64_t out_pitch, int height, int width) {
  for (int y = blockIdx.x; y < height; y += gridDim.x) {
    const unsigned char* const from = in + y * in_pitch;
    for (int x = threadIdx.x; x < width; x += blockDim.x) {
      const int red = from[3 * x], green = from[3 * x + 1], blue = from[3 * x + 2];
      const int sum = 128 + 77 * red + 150 * green + 29 * blue;
      out[y * out_pitch + x] = static_cast<unsigned char>(sum / 256);
    }
  }
}

}  // namespace

void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out, cudaStream_t stream) {
  if (in.rows != out.rows || in.cols != out.cols) throw std::invalid_argument("shapes differ");
  if (in.rows < 1 || in.cols < 1 || in.stride < in.cols || out.stride < in.cols) {
    throw std::invalid_argument("no image");
  }
  const int blocks = in.rows < 1024 ? in.rows : 1024;
  gray_kernel<<<blocks, 256, 0, stream>>>(reinterpret_cast<const unsigned char*>(in.data),
                                          3 * in.stride, out.data, out.stride, in.rows, in.cols);
  check_launch();
}

}  // namespace tut::ch03
