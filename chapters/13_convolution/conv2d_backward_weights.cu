#include "13_convolution/conv2d_backward_weights.hpp"

#include <algorithm>
#include <cstdint>

#include "13_convolution/conv2d_backward_bias.hpp"
#include "13_convolution/conv2d_implicit_backward_weights.hpp"
#include "13_convolution/conv2d_tiles.hpp"
#include "13_convolution/scratch.hpp"
#include "13_convolution/sum_slices.hpp"
#include "tut/check.hpp"

namespace tut::ch13 {
namespace {

// A layer without padding, stride 1: FILTERS filters on images of EDGE x EDGE. A block sums up to
// GROUP images, a thread the products of BANK filters and TAP_ROWS rows of their taps.
template <int SIDE_, int BANK_, int TAP_ROWS_, int GROUP_, int FILTERS_, int CHANNELS_, int EDGE>
struct WeightsLayer {
  static constexpr int SIDE = SIDE_, BANK = BANK_, TAP_ROWS = TAP_ROWS_, GROUP = GROUP_;
  static constexpr int FILTERS = FILTERS_, CHANNELS = CHANNELS_, WIDTH = EDGE;
  static constexpr int AREA = EDGE * EDGE, TAPS = CHANNELS * SIDE * SIDE;
  static constexpr int OUT_WIDTH = EDGE - SIDE + 1, OUT_AREA = OUT_WIDTH * OUT_WIDTH;
  static_assert(SIDE % TAP_ROWS == 0 && FILTERS % BANK == 0 && OUT_WIDTH % 2 == 0);
};

// A thread sums along one column of output pixels over a group of images; a row of pixels, once
// loaded, serves all rows of taps. The block then adds up its columns. partial: (group, filter,
// channel, tap row, tap)
template <class Layer>
__global__ void weight_groups_kernel(const float* in, const float* d_out, float* partial,
                                     int images, int first_image, int first_group) {
  constexpr int SIDE = Layer::SIDE, BANK = Layer::BANK, ROWS = Layer::TAP_ROWS;
  constexpr int OUT_WIDTH = Layer::OUT_WIDTH;
  constexpr int SUMS = SIDE * BANK * SIDE;  // of a block
  constexpr int PITCH = OUT_WIDTH + 1;      // odd: neighbouring sums begin in different banks
  __shared__ float columns[SUMS * PITCH];   // (filter, tap row, tap; x)
  const int x = threadIdx.x;
  const int tap_row = threadIdx.y * ROWS;
  const int channel = blockIdx.x;
  const int first = blockIdx.y * BANK;
  const int group = first_group + blockIdx.z;
  const std::int64_t image = first_image + blockIdx.z * images;
  const float* corner =
      in + (image * Layer::CHANNELS + channel) * Layer::AREA + tap_row * Layer::WIDTH + x;
  const float* plane = d_out + (image * Layer::FILTERS + first) * Layer::OUT_AREA + x;

  //! [columns]
  float sum[BANK][ROWS][SIDE] = {};  // (filter, tap row, tap)
  for (int n = 0; n < images; ++n) {
    const float* pixels = corner + n * (Layer::CHANNELS * Layer::AREA);
    const float* gradients = plane + n * (Layer::FILTERS * Layer::OUT_AREA);
#pragma unroll
    for (int y = 0; y < OUT_WIDTH; ++y) {
#pragma unroll
      for (int row = 0; row < ROWS; ++row) {
#pragma unroll
        for (int j = 0; j < SIDE; ++j) {
          const float pixel = pixels[(y + row) * Layer::WIDTH + j];
#pragma unroll
          for (int f = 0; f < BANK; ++f) {
            sum[f][row][j] += pixel * gradients[f * Layer::OUT_AREA + y * OUT_WIDTH];
          }
        }
      }
    }
  }
  //! [columns]

#pragma unroll
  for (int f = 0; f < BANK; ++f) {
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
#pragma unroll
      for (int j = 0; j < SIDE; ++j) {
        columns[((f * SIDE + tap_row + row) * SIDE + j) * PITCH + x] = sum[f][row][j];
      }
    }
  }
  __syncthreads();

  for (int at = threadIdx.y * OUT_WIDTH + x; at < SUMS; at += OUT_WIDTH * (SIDE / ROWS)) {
    float even = 0.0f, odd = 0.0f;  // two chains: one alone would wait for every addition
#pragma unroll
    for (int i = 0; i < OUT_WIDTH; i += 2) {
      even += columns[at * PITCH + i];
      odd += columns[at * PITCH + i + 1];
    }
    const int filter = first + at / (SIDE * SIDE), tap = at % (SIDE * SIDE);
    const std::int64_t row = std::int64_t{group} * Layer::FILTERS + filter;
    partial[row * Layer::TAPS + channel * SIDE * SIDE + tap] = even + odd;
  }
}

template <class Layer>
void launch_groups(TensorView<const float> in, TensorView<const float> d_out, float* partial,
                   int images, int first_image, int first_group, int groups, cudaStream_t stream) {
  if (groups == 0) return;
  const dim3 block(Layer::OUT_WIDTH, Layer::SIDE / Layer::TAP_ROWS);
  const dim3 grid(Layer::CHANNELS, Layer::FILTERS / Layer::BANK, groups);
  weight_groups_kernel<Layer>
      <<<grid, block, 0, stream>>>(in.data, d_out.data, partial, images, first_image, first_group);
  check_launch();
}

// Groups of GROUP images, and those that are left one by one.
template <class Layer>
void run(TensorView<const float> in, TensorView<const float> d_out, TensorView<float> d_weights,
         float* partial, cudaStream_t stream) {
  const int whole = in.n / Layer::GROUP, left = in.n % Layer::GROUP;
  launch_groups<Layer>(in, d_out, partial, Layer::GROUP, 0, 0, whole, stream);
  launch_groups<Layer>(in, d_out, partial, 1, whole * Layer::GROUP, whole, left, stream);
  sum_slices(partial, d_weights.data, static_cast<int>(d_weights.size()), whole + left, stream);
}

// Calls visit(Layer) if the shapes are those of a layer of chapter 16's networks; returns if so.
template <class Visit>
bool visit_layer(TensorView<const float> d_out, TensorView<const float> d_weights, Visit visit) {
  const auto is = [&](int side, int channels, int filters, int width) {
    return d_weights.h == side && d_weights.c == channels && d_weights.n == filters &&
           d_out.h == width && d_out.w == width;
  };
  if (is(5, 1, 8, 24)) return visit(WeightsLayer<5, 4, 1, 8, 8, 1, 28>{}), true;
  if (is(5, 8, 16, 8)) return visit(WeightsLayer<5, 4, 1, 8, 16, 8, 12>{}), true;
  if (is(3, 1, 32, 26)) return visit(WeightsLayer<3, 2, 3, 8, 32, 1, 28>{}), true;
  if (is(3, 32, 64, 24)) return visit(WeightsLayer<3, 2, 3, 8, 64, 32, 26>{}), true;
  return false;
}

}  // namespace

std::size_t conv2d_backward_weights_scratch(TensorView<const float> d_out,
                                            TensorView<const float> d_weights) {
  const auto weights = static_cast<std::size_t>(d_weights.size());
  std::size_t size = std::max(conv2d_implicit_backward_weights_scratch(d_out, d_weights),
                              conv2d_tiles_backward_weights_scratch(d_out, d_weights));
  visit_layer(d_out, d_weights, [&](auto layer) {
    size = std::max(
        size, static_cast<std::size_t>(d_out.n / layer.GROUP + d_out.n % layer.GROUP) * weights);
  });
  return size + conv2d_backward_bias_scratch(d_out);
}

void conv2d_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                             TensorView<float> d_weights, float* d_bias, std::span<float> scratch,
                             Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, d_weights, d_out, options);
  require_scratch(scratch, conv2d_backward_weights_scratch(d_out, d_weights));
  const std::size_t bias_size = conv2d_backward_bias_scratch(d_out);
  conv2d_backward_bias(d_out, d_bias, scratch.first(bias_size), stream);

  const std::span<float> partial = scratch.subspan(bias_size);
  const bool valid = s.padding == 0 && s.stride == 1;
  const bool known = valid && visit_layer(d_out, d_weights, [&](auto layer) {
                       run<decltype(layer)>(in, d_out, d_weights, partial.data(), stream);
                     });
  if (known) return;
  if (has_tiles(s)) {
    conv2d_tiles_backward_weights(in, d_out, d_weights, partial, s.padding, stream);
  } else {
    conv2d_implicit_backward_weights(in, d_out, d_weights, partial, options, stream);
  }
}

}  // namespace tut::ch13
