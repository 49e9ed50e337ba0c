#include "13_convolution/conv2d.hpp"

#include <cstdint>

#include "13_convolution/conv2d_implicit.hpp"
#include "13_convolution/conv2d_tiles.hpp"
#include "13_convolution/filter_bank.hpp"
#include "tut/check.hpp"

namespace tut::ch13 {
namespace {

// A layer without padding, EDGE x EDGE pixels.
template <int SIDE, int CHANNELS, int EDGE>
using ValidLayer = BankLayer<SIDE, CHANNELS, EDGE, EDGE, EDGE - SIDE + 1>;

constexpr int BANK = 8;

// A thread for each column of the output computes ROWS pixels of BANK filters. Block and grid cover
// the output exactly: no thread has to ask if it has work.
template <class Layer, int ROWS>
__global__ void conv2d_bank_kernel(const float* in, const float* weights, const float* bias,
                                   float* out, int filters) {
  const int x = threadIdx.x;
  const int y = (blockIdx.x * blockDim.y + threadIdx.y) * ROWS;
  const int first = blockIdx.y * BANK;
  const std::int64_t image = blockIdx.z;
  const float* corner = in + image * Layer::CHANNELS * Layer::PLANE + y * Layer::PITCH + x;
  const float* bank = weights + first * Layer::CHANNELS * Layer::SIDE * Layer::SIDE;

  float sum[ROWS][BANK] = {};  // (row, filter)
  add_bank<Layer>(corner, bank, sum);

  float* to = out + (image * filters + first) * Layer::OUT_AREA + y * Layer::OUT_WIDTH + x;
#pragma unroll
  for (int f = 0; f < BANK; ++f) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      to[f * Layer::OUT_AREA + r * Layer::OUT_WIDTH] = sum[r][f] + bias[first + f];
    }
  }
}

template <class Layer, int ROWS, int BLOCK_ROWS>
void launch(const float* in, const float* weights, const float* bias, float* out,
            const ConvolutionShape& s, cudaStream_t stream) {
  static_assert(Layer::OUT_HEIGHT % (ROWS * BLOCK_ROWS) == 0, "blocks cover the rows exactly");
  const dim3 block(Layer::OUT_WIDTH, BLOCK_ROWS);
  const dim3 grid(Layer::OUT_HEIGHT / (ROWS * BLOCK_ROWS), s.k / BANK, s.n);
  conv2d_bank_kernel<Layer, ROWS><<<grid, block, 0, stream>>>(in, weights, bias, out, s.k);
  check_launch();
}

bool has_image(const ConvolutionShape& s, int channels, int edge) {
  return s.c == channels && s.h == edge && s.w == edge;
}

}  // namespace

void conv2d(TensorView<const float> in, TensorView<const float> weights, const float* bias,
            TensorView<float> out, Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, weights, out, options);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  const auto run = [&](auto launcher) {
    launcher(in.data, weights.data, bias, out.data, s, stream);
  };
  if (s.padding == 0 && s.stride == 1 && s.k % BANK == 0) {
    // The course's network ...
    if (s.f == 5 && has_image(s, 1, 28)) return run(launch<ValidLayer<5, 1, 28>, 1, 8>);
    if (s.f == 5 && has_image(s, 8, 12)) return run(launch<ValidLayer<5, 8, 12>, 1, 8>);
    // ... and the one of PyTorch's MNIST example.
    if (s.f == 3 && has_image(s, 1, 28)) return run(launch<ValidLayer<3, 1, 28>, 2, 13>);
    if (s.f == 3 && has_image(s, 32, 26)) return run(launch<ValidLayer<3, 32, 26>, 3, 8>);
  }
  if (has_tiles(s)) return conv2d_tiles(in, weights, bias, out, s.padding, stream);
  conv2d_implicit(in, weights, bias, out, options, stream);
}

}  // namespace tut::ch13
