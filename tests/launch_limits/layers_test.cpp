// Convolutions and layers, in the number of images, of channels and of pixels.
#include <doctest/doctest.h>

#include "13_convolution/conv1x1_wmma.hpp"
#include "13_convolution/conv2d.hpp"
#include "13_convolution/conv2d_backward_bias.hpp"
#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "13_convolution/conv2d_depthwise.hpp"
#include "13_convolution/conv2d_dilated.hpp"
#include "13_convolution/conv2d_direct.hpp"
#include "13_convolution/conv2d_im2col.hpp"
#include "13_convolution/conv2d_implicit.hpp"
#include "13_convolution/conv2d_implicit_backward_input.hpp"
#include "13_convolution/conv2d_implicit_backward_weights.hpp"
#include "13_convolution/conv2d_tiles.hpp"
#include "13_convolution/conv2d_transposed.hpp"
#include "13_convolution/conv2d_wmma.hpp"
#include "13_convolution/conv2d_wmma_backward_input.hpp"
#include "13_convolution/conv2d_wmma_backward_weights.hpp"
#include "13_convolution/convert_layout.hpp"
#include "13_convolution/im2col.hpp"
#include "13_convolution/im2col_nhwc.hpp"
#include "14_layers_and_fusion/batch_norm.hpp"
#include "14_layers_and_fusion/bias.hpp"
#include "14_layers_and_fusion/bias_leaky_relu.hpp"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/conv2d_bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/conv2d_bias_relu_max_pool_backward.hpp"
#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/max_pool.hpp"
#include "14_layers_and_fusion/max_pool_nhwc.hpp"
#include "16_cnn_trainer/augment.hpp"
#include "16_cnn_trainer/cutout.hpp"
#include "16_cnn_trainer/gather_batch.hpp"
#include "sweep.hpp"

namespace {

using namespace tut;
using namespace tut::test;
using Index = std::int64_t;

/// A layer of n images, c channels to k, side s, filters of f x f without padding.
struct Layer {
  Index n;
  int c, k, s, f;

  int o() const { return s - f + 1; }
  TensorView<float> in() const { return tensor<float>(n, c, s, s); }
  TensorView<float> weights() const { return tensor<float>(k, c, f, f); }
  TensorView<float> out() const { return tensor<float>(n, k, o(), o()); }
  template <class T>
  ch13::NhwcView<T> in_nhwc() const {
    return nhwc<T>(n, c, s, s);
  }
  template <class T>
  ch13::NhwcView<T> weights_nhwc() const {
    return nhwc<T>(k, c, f, f);
  }
  template <class T>
  ch13::NhwcView<T> out_nhwc() const {
    return nhwc<T>(n, k, o(), o());
  }
};

// Grown in images, in pixels of an image, and in channels: `run(layer)`.
template <class Run>
void sweep_layer(const std::string& name, const Run& run) {
  sweep(name + ", images", IMAGES, [&](Index n) { run(Layer{n, 1, 8, 28, 5}); });
  sweep(name + ", images of the second layer", IMAGES, [&](Index n) {
    run(Layer{n, 8, 16, 12, 5});
  });
  sweep(name + ", channels", 4099, [&](Index n) { run(Layer{64, int(n), 8, 8, 3}); });
  sweep(name + ", filters", 4099, [&](Index n) { run(Layer{64, 8, int(n), 8, 3}); });
  sweep(name + ", side", 4099, [&](Index n) { run(Layer{8, 1, 8, int(n) + 2, 3}); });
}

float* floats() { return somewhere<float>(); }
std::span<float> room() { return {floats(), std::size_t{1} << 40}; }
std::span<unsigned> counters() { return {somewhere<unsigned>(), std::size_t{1} << 40}; }

}  // namespace

TEST_CASE("convolutions") {
  sweep_layer("conv2d",
              [](const Layer& l) { ch13::conv2d(l.in(), l.weights(), floats(), l.out(), {}); });
  sweep_layer("conv2d_direct", [](const Layer& l) {
    ch13::conv2d_direct(l.in(), l.weights(), floats(), l.out(), {});
  });
  sweep_layer("conv2d_im2col", [](const Layer& l) {
    ch13::conv2d_im2col(l.in(), l.weights(), floats(), l.out(), room(), {});
  });
  sweep_layer("conv2d_implicit", [](const Layer& l) {
    ch13::conv2d_implicit(l.in(), l.weights(), floats(), l.out(), {});
  });
  sweep_layer("conv2d_tiles", [](const Layer& l) {
    ch13::conv2d_tiles(l.in(), l.weights(), floats(), l.out(), 0);
  });
  sweep("conv2d_bias_relu_max_pool, images", IMAGES, [](Index n) {
    ch14::conv2d_bias_relu_max_pool(tensor<float>(n, 8, 12, 12), tensor<float>(16, 8, 5, 5),
                                    floats(), tensor<float>(n, 16, 4, 4), {});
  });
  sweep("conv2d_bias_relu_max_pool, filters", 4099, [](Index n) {
    ch14::conv2d_bias_relu_max_pool(tensor<float>(64, 8, 8, 8), tensor<float>(n, 8, 3, 3), floats(),
                                    tensor<float>(64, int(n), 3, 3), {});
  });
  sweep("conv2d_bias_relu_max_pool, side", 4099, [](Index n) {
    const int side = static_cast<int>(n + n % 2);  // of the convolution, whose tensor is not stored
    ch14::conv2d_bias_relu_max_pool(tensor<float>(8, 1, side + 2, side + 2),
                                    tensor<float>(8, 1, 3, 3), floats(),
                                    tensor<float>(8, 8, side / 2, side / 2), {});
  });
  const auto pooled_gradient = [](Index n, int channels, int side, Index filters, int filter_side) {
    const int k = static_cast<int>(filters), windows = (side - filter_side + 1) / 2;
    ch14::conv2d_bias_relu_max_pool_backward_weights(
        tensor<float>(n, channels, side, side),
        {somewhere<ch14::Winner>(), static_cast<std::size_t>(n * filters * windows * windows)},
        tensor<float>(n, k, windows, windows), tensor<float>(k, channels, filter_side, filter_side),
        floats(), {room(), counters()});
  };
  sweep("conv2d_bias_relu_max_pool_backward_weights, images", IMAGES,
        [&](Index n) { pooled_gradient(n, 8, 12, 16, 5); });
  sweep("conv2d_bias_relu_max_pool_backward_weights, filters", 4099,
        [&](Index n) { pooled_gradient(64, 8, 8, n, 3); });
  sweep("conv2d_bias_relu_max_pool_backward_weights, side", 4099,
        [&](Index n) { pooled_gradient(8, 1, static_cast<int>(n + n % 2) + 2, 8, 3); });
  sweep_layer("conv2d_dilated", [](const Layer& l) {
    ch13::conv2d_dilated(l.in(), l.weights(), floats(), l.out(), {}, 1);
  });
  sweep_layer("conv2d_wmma", [](const Layer& l) {
    ch13::conv2d_wmma(ch13::NhwcView<const __half>(l.in_nhwc<__half>()),
                      ch13::NhwcView<const __half>(l.weights_nhwc<__half>()), floats(),
                      l.out_nhwc<__half>(), {});
  });
  const auto conv1x1 = [](Index n, int c, int k, Index side) {
    const int s = static_cast<int>(side);
    ch13::conv1x1_wmma(nhwc<const __half>(n, c, s, s), nhwc<const __half>(k, c, 1, 1), floats(),
                       nhwc<__half>(n, k, s, s), 1);
  };
  sweep("conv1x1_wmma, images", IMAGES, [&](Index n) { conv1x1(n, 8, 16, 28); });
  sweep("conv1x1_wmma, filters", IMAGES, [&](Index n) { conv1x1(8, 8, int(n), 28); });
  sweep("conv1x1_wmma, side", 4099, [&](Index n) { conv1x1(1, 8, 16, n); });
  sweep_layer("conv2d_transposed", [](const Layer& l) {
    ch13::conv2d_transposed(l.out(), l.weights(), floats(), l.in(), {});
  });
  sweep("conv2d_depthwise, images", IMAGES, [](Index n) {
    ch13::conv2d_depthwise(tensor<float>(n, 64, 12, 12), tensor<float>(64, 1, 5, 5), floats(),
                           tensor<float>(n, 64, 8, 8), 0);
  });
}

TEST_CASE("gradients of convolutions") {
  sweep_layer("conv2d_backward_input", [](const Layer& l) {
    ch13::conv2d_backward_input(l.out(), l.weights(), l.in(), room(), {});
  });
  sweep_layer("conv2d_backward_weights", [](const Layer& l) {
    ch13::conv2d_backward_weights(l.in(), l.out(), l.weights(), floats(), {room()}, {});
  });
  sweep_layer("conv2d_backward_bias",
              [](const Layer& l) { ch13::conv2d_backward_bias(l.out(), floats(), room()); });
  sweep_layer("conv2d_implicit_backward_input", [](const Layer& l) {
    ch13::conv2d_implicit_backward_input(l.out(), l.weights(), l.in(), {});
  });
  sweep_layer("conv2d_implicit_backward_weights", [](const Layer& l) {
    ch13::conv2d_implicit_backward_weights(l.in(), l.out(), l.weights(), room(), {});
  });
  sweep_layer("conv2d_tiles_backward_input", [](const Layer& l) {
    ch13::conv2d_tiles_backward_input(l.out(), l.weights(), l.in(), 0);
  });
  sweep_layer("conv2d_tiles_backward_weights", [](const Layer& l) {
    ch13::conv2d_tiles_backward_weights(l.in(), l.out(), l.weights(), {room(), counters()}, 0);
  });
  sweep_layer("conv2d_wmma_backward_input", [](const Layer& l) {
    ch13::conv2d_wmma_backward_input(ch13::NhwcView<const __half>(l.out_nhwc<__half>()),
                                     ch13::NhwcView<const __half>(l.weights_nhwc<__half>()),
                                     l.in_nhwc<__half>(), {});
  });
  sweep_layer("conv2d_wmma_backward_weights", [](const Layer& l) {
    ch13::conv2d_wmma_backward_weights(ch13::NhwcView<const __half>(l.in_nhwc<__half>()),
                                       ch13::NhwcView<const __half>(l.out_nhwc<__half>()),
                                       l.weights_nhwc<float>(), floats(), room(), {});
  });
}

TEST_CASE("columns and layouts") {
  sweep_layer("im2col", [](const Layer& l) {
    ch13::im2col(l.in(), matrix<float>(l.c * l.f * l.f, l.n * l.o() * l.o()), l.f, {});
  });
  sweep_layer("im2col_nhwc", [](const Layer& l) {
    ch13::im2col_nhwc(l.in_nhwc<float>(), matrix<float>(l.n * l.o() * l.o(), l.c * l.f * l.f), l.f,
                      {});
  });
  sweep_layer("nchw_to_nhwc", [](const Layer& l) {
    ch13::nchw_to_nhwc(TensorView<const float>(l.in()), l.in_nhwc<__half>());
  });
  sweep_layer("nhwc_to_nchw", [](const Layer& l) {
    ch13::nhwc_to_nchw(ch13::NhwcView<const __half>(l.in_nhwc<__half>()), l.in());
  });
}

TEST_CASE("layers") {
  const auto each = [](const std::string& name, auto run) {
    sweep(name + ", images", IMAGES, [&](Index n) { run(n, 16, 8); });
    sweep(name + ", channels", 60'000, [&](Index n) { run(16, n, 8); });
    sweep(name + ", side", 4099, [&](Index n) { run(1, 3, 2 * n); });
  };
  const auto t = [](Index n, Index c, Index s) { return tensor<float>(n, int(c), int(s), int(s)); };
  each("add_bias", [=](Index n, Index c, Index s) {
    ch14::add_bias(TensorView<const float>(t(n, c, s)), floats(), t(n, c, s));
    ch14::add_bias(TensorView<const float>(t(n, c, 1)), floats(), t(n, c, 1));
  });
  each("bias_backward", [=](Index n, Index c, Index s) {
    ch14::bias_backward(TensorView<const float>(t(n, c, s)), floats());
    ch14::bias_backward(TensorView<const float>(t(n, c, 1)), floats());
  });
  each("bias_leaky_relu", [=](Index n, Index c, Index s) {
    ch14::bias_leaky_relu(t(n, c, s), floats(), 0.1f, t(n, c, s));
  });
  each("max_pool", [=](Index n, Index c, Index s) {
    ch14::max_pool(TensorView<const float>(t(n, c, s)), t(n, c, s / 2));
  });
  each("max_pool_backward", [=](Index n, Index c, Index s) {
    ch14::max_pool_backward(TensorView<const float>(t(n, c, s)),
                            TensorView<const float>(t(n, c, s / 2)), t(n, c, s));
  });
  each("batch_norm", [=](Index n, Index c, Index s) {
    const ch14::BatchNormState state{floats(), floats(), floats(), floats()};
    ch14::batch_norm(t(n, c, s), floats(), floats(), state, t(n, c, s));
    ch14::batch_norm_inference(t(n, c, s), floats(), floats(), state, t(n, c, s));
    ch14::batch_norm_backward(t(n, c, s), t(n, c, s), floats(), state, t(n, c, s), floats(),
                              floats());
  });
  each("bias_relu_max_pool", [=](Index n, Index c, Index s) {
    const std::span<ch14::Winner> won{somewhere<ch14::Winner>(),
                                      static_cast<std::size_t>(t(n, c, s / 2).size())};
    ch14::bias_relu_max_pool(TensorView<const float>(t(n, c, s)), floats(), t(n, c, s / 2), won);
    ch14::bias_relu_max_pool_backward(won, TensorView<const float>(t(n, c, s / 2)), t(n, c, s),
                                      floats(), {floats(), somewhere<unsigned>()});
  });
  each("max_pool_nhwc", [=](Index n, Index c, Index s) {
    const auto view = [&](Index side) { return nhwc<__half>(n, int(c), int(side), int(side)); };
    const std::span<ch14::Winner> won{somewhere<ch14::Winner>(),
                                      static_cast<std::size_t>(view(s / 2).size())};
    ch14::max_pool_nhwc(ch13::NhwcView<const __half>(view(s)), view(s / 2), won,
                        ch14::BeforePool::relu);
    ch14::max_pool_nhwc_backward(std::span<const ch14::Winner>(won),
                                 ch13::NhwcView<const __half>(view(s / 2)), view(s));
  });
}

TEST_CASE("dense layers and batches") {
  const auto dense = [](Index n, Index i, Index j) {
    const auto m = [](Index r, Index c) { return matrix<float>(r, c); };
    ch14::dense(m(n, i), m(j, i), floats(), m(n, j));
    ch14::dense_backward(m(n, i), m(j, i), m(n, j), m(n, i), m(j, i), floats());
  };
  sweep("dense, examples", IMAGES, [&](Index n) { dense(n, 100, 20); });
  sweep("dense, inputs", ROWS, [&](Index n) { dense(64, n, 10); });
  sweep("dense, outputs", IMAGES, [&](Index n) { dense(64, 100, n); });

  const auto set = [](int h, int w) { return tensor<const std::uint8_t>(60'000, 1, h, w); };
  sweep("gather_batch", IMAGES, [&](Index n) {
    ch16::gather_batch(set(28, 28), Elements{60'000}, Elements{n}, tensor<float>(n, 1, 28, 28),
                       Elements{n});
  });
  sweep("cutout", IMAGES, [&](Index n) {
    ch16::cutout(set(28, 28), Elements{60'000}, Elements{n}, tensor<float>(n, 1, 28, 28),
                 Elements{n}, {}, 8);
  });
  sweep("augment", IMAGES, [&](Index n) {
    ch16::augment(set(28, 28), Elements{60'000}, Elements{n}, tensor<float>(n, 1, 28, 28),
                  Elements{n}, {});
  });
  // As large as it takes: (72 + 2)(164 + 2) floats and its map are 48 KiB.
  sweep("augment, large images", IMAGES, [&](Index n) {
    ch16::augment(set(72, 164), Elements{60'000}, Elements{n}, tensor<float>(n, 1, 72, 164),
                  Elements{n}, {});
  });
}
