#include "14_layers_and_fusion/conv2d_bias_relu_max_pool_backward.hpp"

#include "13_convolution/weight_tiles_launch.cuh"
#include "14_layers_and_fusion/pooling.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch14 {
namespace {

//! [gradients]
// The gradients of the convolution's output, made from those of the pooled tensor where they are
// staged: a window's gradient goes to its winner.
struct PooledGradients {
  static constexpr bool adds_bias = true;

  // Windows of a filter; and where those of filter 0 are that have these pixels.
  static __device__ int plane(const ch13::WeightLayer& s) {
    return s.out_height / 2 * (s.out_width / 2);
  }
  static __device__ int place(const ch13::WeightLayer& s, int image, int row, int col) {
    return (image * s.filters * (s.out_height / 2) + row / 2) * (s.out_width / 2) + col / 2;
  }

  // Those of four pixels of a row, which lie in two windows, the first of them at `from`.
  static __device__ float4 load(const ch13::WeightLayer& s, int from, int row, int col) {
    Pair<float> gradients;
    Pair<unsigned char> winners;
    if (s.whole_loads) {
      gradients = load_pair<true>(s.d_out + from), winners = load_pair<true>(s.winners + from);
    } else {
      const int next = col / 2 + 1 < s.out_width / 2 ? from + 1 : from;
      gradients = {s.d_out[from], next != from ? s.d_out[next] : 0.0f};
      winners = {s.winners[from], s.winners[next]};
    }
    const float first = gradients.first, second = gradients.second;
    const int first_winner = winners.first, second_winner = winners.second;
    const int left = row % 2 * 2, right = left + 1;  // places of a window in this row
    const float a = first_winner == left ? first : 0.0f;
    const float b = first_winner == right ? first : 0.0f;
    const float c = second_winner == left ? second : 0.0f;
    const float d = second_winner == right ? second : 0.0f;
    return {a, b, c, d};
  }
};
//! [gradients]

// The convolution's output, as far as windows go; it lies nowhere.
TensorView<const float> output_of(TensorView<const float> in, TensorView<const float> d_weights,
                                  int padding) {
  const ch13::ConvolutionShape s{in.n, in.c, in.h, in.w, d_weights.n, d_weights.h, padding, 1};
  ch13::require_shape(s);
  return {in.data, s.n, s.k, s.out_h(), s.out_w()};
}

TensorView<const float> windows_of(const TensorView<const float>& out) {
  return {out.data, out.n, out.c, out.h / 2 * 2, out.w / 2 * 2};
}

}  // namespace

std::size_t conv2d_bias_relu_max_pool_backward_weights_scratch(TensorView<const float> in,
                                                               TensorView<const float> d_weights,
                                                               int padding) {
  return ch13::partial_size(windows_of(output_of(in, d_weights, padding)), d_weights, true);
}

void conv2d_bias_relu_max_pool_backward_weights(TensorView<const float> in,
                                                std::span<const Winner> winners,
                                                TensorView<const float> d_out,
                                                TensorView<float> d_weights, float* d_bias,
                                                const ch13::SliceSums& sums, int padding,
                                                cudaStream_t stream) {
  const TensorView<const float> out = output_of(in, d_weights, padding);
  ch13::require_tiles(ch13::require_convolution(in, d_weights, out, {padding, 1}));
  require_pooling(out, d_out, "the convolution", "the gradient of the pooled tensor");
  require_same_size(winners.size(), "the winners", d_out.size(), "the pooled tensor");
  require(d_bias != nullptr, "the gradient of the bias has no memory (a null pointer)");
  ch13::WeightLayer layer{};
  layer.d_out = d_out.data, layer.d_bias = d_bias;
  layer.winners = reinterpret_cast<const unsigned char*>(winners.data());
  layer.whole_loads =
      d_out.w % 2 == 0 && is_pair_aligned(d_out.data) && is_pair_aligned(layer.winners);
  ch13::run_weight_tiles<PooledGradients>(in, windows_of(out), d_weights, sums, padding, layer,
                                          stream);
}

}  // namespace tut::ch14
