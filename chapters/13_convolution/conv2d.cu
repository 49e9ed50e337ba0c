#include "13_convolution/conv2d.hpp"

#include <cstdint>

#include "13_convolution/row_tiles.hpp"
#include "tut/check.hpp"

namespace tut::ch13 {
namespace {

// A thread computes one pixel of BANK filters: a pixel of the input, once loaded, is used BANK
// times. All sizes are known here, so that the loops unroll and offsets become constants. Block and
// grid cover the output exactly: no thread has to ask if it has work.
template <int SIDE, int BANK, int CHANNELS, int HEIGHT, int WIDTH>
__global__ void conv2d_kernel(const float* in, const float* weights, const float* bias, float* out,
                              int filters) {
  constexpr int TAPS = SIDE * SIDE;
  constexpr int OUT_WIDTH = WIDTH - SIDE + 1;
  constexpr int OUT_AREA = (HEIGHT - SIDE + 1) * OUT_WIDTH;
  const int x = threadIdx.x;
  const int y = blockIdx.x * blockDim.y + threadIdx.y;
  const int first = blockIdx.y * BANK;
  const std::int64_t image = blockIdx.z;
  const float* corner = in + image * CHANNELS * HEIGHT * WIDTH + y * WIDTH + x;
  const float* bank = weights + first * CHANNELS * TAPS;

  float sum[BANK] = {};  // (filter)
  for (int c = 0; c < CHANNELS; ++c) {
#pragma unroll
    for (int i = 0; i < SIDE; ++i) {
#pragma unroll
      for (int j = 0; j < SIDE; ++j) {
        const float pixel = corner[(c * HEIGHT + i) * WIDTH + j];
#pragma unroll
        for (int f = 0; f < BANK; ++f) {
          sum[f] += pixel * bank[(f * CHANNELS + c) * TAPS + i * SIDE + j];
        }
      }
    }
  }

  float* to = out + (image * filters + first) * OUT_AREA + y * OUT_WIDTH + x;
#pragma unroll
  for (int f = 0; f < BANK; ++f) to[f * OUT_AREA] = sum[f] + bias[first + f];
}

// The definition, for any size: a thread computes one pixel of one filter.
__global__ void conv2d_any_kernel(TensorView<const float> in, TensorView<const float> weights,
                                  const float* bias, TensorView<float> out) {
  const int x = threadIdx.x;
  const int y = blockIdx.x * blockDim.y + threadIdx.y;
  const int k = blockIdx.y;
  const int image = blockIdx.z;
  float sum = 0.0f;
  for (int c = 0; c < in.c; ++c) {
    for (int i = 0; i < weights.h; ++i) {
      for (int j = 0; j < weights.w; ++j) {
        sum += in(image, c, y + i, x + j) * weights(k, c, i, j);
      }
    }
  }
  out(image, k, y, x) = sum + bias[k];
}

template <int CHANNELS, int HEIGHT, int WIDTH>
void launch(TensorView<const float> in, TensorView<const float> weights, const float* bias,
            TensorView<float> out, cudaStream_t stream) {
  constexpr int SIDE = 5, BANK = 8;
  const int rows = rows_per_block(out.h, out.w);
  const dim3 block(out.w, rows);
  const dim3 grid(out.h / rows, out.c / BANK, out.n);
  conv2d_kernel<SIDE, BANK, CHANNELS, HEIGHT, WIDTH>
      <<<grid, block, 0, stream>>>(in.data, weights.data, bias, out.data, out.c);
  check_launch();
}

}  // namespace

void conv2d(TensorView<const float> in, TensorView<const float> weights, const float* bias,
            TensorView<float> out, cudaStream_t stream) {
  require_convolution(in, weights, out);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  if (weights.h == 5 && out.c % 8 == 0) {
    // The layers of this course's network, the last by its padded gradient.
    if (has_image(in, 1, 28, 28)) return launch<1, 28, 28>(in, weights, bias, out, stream);
    if (has_image(in, 8, 12, 12)) return launch<8, 12, 12>(in, weights, bias, out, stream);
    if (has_image(in, 16, 16, 16)) return launch<16, 16, 16>(in, weights, bias, out, stream);
  }
  const int rows = rows_per_block(out.h, out.w);
  const dim3 block(out.w, rows);
  const dim3 grid(out.h / rows, out.c, out.n);
  conv2d_any_kernel<<<grid, block, 0, stream>>>(in, weights, bias, out);
  check_launch();
}

}  // namespace tut::ch13
