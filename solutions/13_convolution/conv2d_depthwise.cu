#include "13_convolution/conv2d_depthwise.hpp"

#include <string>

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int TILE_W = 32, TILE_H = 8;          // of the output, a thread each
constexpr int BORDER = depthwise_max_side - 1;  // at most

__global__ void conv2d_depthwise_kernel(TensorView<const float> in, TensorView<const float> weights,
                                        const float* bias, TensorView<float> out, int padding) {
  __shared__ float tile[(TILE_H + BORDER) * (TILE_W + BORDER)];  // (row, col), rows of `width`
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  // The grid counts tiles along x, those of a plane one after the other.
  const int across = ceil_div(out.w, TILE_W), tiles = across * ceil_div(out.h, TILE_H);
  const int plane = blockIdx.x / tiles, place = blockIdx.x % tiles;
  const int channel = plane % in.c;
  const int image = plane / in.c;
  const int y0 = place / across * TILE_H;  // of the tile, in the output
  const int x0 = place % across * TILE_W;
  const int side = weights.h;
  const int width = TILE_W + side - 1, height = TILE_H + side - 1;  // of the staged pixels

  //! [hole-stage]
  // Stage the height x width pixels of the input that this tile needs, 0 outside of the image:
  // tile[row * width + col] is what tap (row, col) of the output's pixel (y0, x0) looks at. There
  // are more pixels than threads: each of the block's 8 warps takes a row, then the row 8 further
  // down, and its lanes walk along it, 32 columns at a time. What follows needs all of them.
  for (int row = ty; row < height; row += TILE_H) {
    for (int col = tx; col < width; col += TILE_W) {
      const int y = y0 + row - padding, x = x0 + col - padding;
      const bool inside = y >= 0 && y < in.h && x >= 0 && x < in.w;
      tile[row * width + col] = inside ? in(image, channel, y, x) : 0.0f;
    }
  }
  __syncthreads();
  //! [hole-stage]

  float sum = 0.0f;
  //! [hole-sum]
  // Add the products of this thread's pixels of the tile and its channel's filter to sum.
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      sum += tile[(ty + i) * width + tx + j] * weights(channel, 0, i, j);
    }
  }
  //! [hole-sum]

  const int y = y0 + ty, x = x0 + tx;
  if (y < out.h && x < out.w) out(image, channel, y, x) = sum + bias[channel];
}

// Throws unless each channel has one filter, small enough, and `out` the shape that they leave.
void require_depthwise(TensorView<const float> in, TensorView<const float> weights,
                       TensorView<float> out, int padding) {
  const ConvolutionShape s{in.n, in.c, in.h, in.w, in.c, weights.h, padding, 1};
  require_images(s);
  require_tensor(in, "the input", in.n, in.c, in.h, in.w, "");
  require_tensor(weights, "the weights", in.c, 1, weights.h, weights.h,
                 "a square filter for each of the input's channels");
  require_tensor(out, "the output", in.n, in.c, s.out_h(), s.out_w(),
                 "the input's images and channels, the pixels a filter fits on");
  require(weights.h <= depthwise_max_side,
          {"the filters are ", weights.h, " pixels wide; expected at most ", depthwise_max_side});
}

}  // namespace

void conv2d_depthwise(TensorView<const float> in, TensorView<const float> weights,
                      const float* bias, TensorView<float> out, int padding, cudaStream_t stream) {
  require_depthwise(in, weights, out, padding);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  const dim3 block(TILE_W, TILE_H);
  const int blocks = ceil_div(out.w, TILE_W) * ceil_div(out.h, TILE_H) * out.n * out.c;
  conv2d_depthwise_kernel<<<blocks, block, 0, stream>>>(in, weights, bias, out, padding);
  check_launch();
}

}  // namespace tut::ch13
