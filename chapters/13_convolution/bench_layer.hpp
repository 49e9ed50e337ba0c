/// \file
/// What the benchmark's ways of a convolution share: a layer's tensors, and a judge of results.
#pragma once

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "13_convolution/conv2d_im2col.hpp"
#include "13_convolution/conv2d_implicit_backward_weights.hpp"
#include "13_convolution/conv2d_wmma_backward_weights.hpp"
#include "13_convolution/convert_layout.hpp"
#include "13_convolution/convolution_shape.hpp"
#include "tut/bench/matmul_rivals.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"
#include "tut/numeric/tf32.hpp"

namespace tut::ch13 {

using Buffer = DeviceBuffer<float>;

/// A layer's tensors in T, channels innermost.
template <class T>
struct InnerChannels {
  InnerChannels(const ConvolutionShape& s, const Buffer& from_in, const Buffer& from_weights,
                const Buffer& from_d_out)
      : in(from_in.size()),
        weights(from_weights.size()),
        d_out(from_d_out.size()),
        out(d_out.size()),
        d_in(in.size()),
        d_weights(weights.size()) {
    nchw_to_nhwc<T>({from_in.data(), s.n, s.c, s.h, s.w}, {in.data(), s.n, s.h, s.w, s.c});
    nchw_to_nhwc<T>({from_weights.data(), s.k, s.c, s.f, s.f},
                    {weights.data(), s.k, s.f, s.f, s.c});
    nchw_to_nhwc<T>({from_d_out.data(), s.n, s.k, s.out_h(), s.out_w()},
                    {d_out.data(), s.n, s.out_h(), s.out_w(), s.k});
  }
  DeviceBuffer<T> in, weights, d_out, out, d_in, d_weights;
};

/// All tensors of a layer once: in FP32, channels outermost, and for the tensor cores.
struct Tensors {
  explicit Tensors(const ConvolutionShape& s)
      : in(random(s.in_size(), 1)),
        weights(random(s.weights_size(), 2)),
        bias(random(s.k, 3)),
        d_out(random(s.out_size(), 4)),
        out(d_out.size()),
        d_in(in.size()),
        d_weights(weights.size()),
        d_bias(bias.size()),
        half(s, in, weights, d_out),
        tf32(s, in, weights, d_out) {}
  static Buffer random(std::int64_t size, std::uint64_t seed) {
    std::vector<float> values(static_cast<std::size_t>(size));
    fill_uniform(values, seed);
    return Buffer(values);
  }
  template <class T>
  const InnerChannels<T>& of() const {
    if constexpr (std::is_same_v<T, Tf32>) return tf32;
    if constexpr (std::is_same_v<T, __half>) return half;
  }

  Buffer in, weights, bias, d_out, out, d_in, d_weights, d_bias;
  InnerChannels<__half> half;
  InnerChannels<Tf32> tf32;
};

/// A layer with as many copies of its tensors as the rotation takes, and scratch memory for all
/// ways.
struct Layer {
  explicit Layer(const ConvolutionShape& shape) : s(shape) {
    const auto bytes = static_cast<std::size_t>(4 * (s.in_size() + s.out_size()));
    for (int i = 0; i < rotation_count(bytes); ++i) tensors.emplace_back(s);
    const Tensors& t = tensors[0];
    const NhwcView<float> d_weights_nhwc = nhwc_weights(t.d_weights.data());
    scratch = Buffer(
        std::max({conv2d_im2col_scratch(s), conv2d_backward_input_scratch(d_out(t), weights(t)),
                  conv2d_backward_weights_scratch(d_out(t), d_weights(t)),
                  conv2d_implicit_backward_weights_scratch(d_out(t), d_weights(t)),
                  conv2d_wmma_backward_weights_scratch(d_weights_nhwc, s.out_pixels())}));
    counters = DeviceBuffer<unsigned>(conv2d_backward_weights_counters(d_weights(t)));
    counters.fill_bytes(0);
  }
  Conv2dOptions options() const { return {s.padding, s.stride}; }
  std::span<float> memory() const { return {scratch.data(), scratch.size()}; }
  SliceSums sums() const { return {memory(), {counters.data(), counters.size()}}; }
  TensorView<const float> in(const Tensors& t) const { return {t.in.data(), s.n, s.c, s.h, s.w}; }
  TensorView<float> d_in(const Tensors& t) const { return {t.d_in.data(), s.n, s.c, s.h, s.w}; }
  TensorView<const float> weights(const Tensors& t) const {
    return {t.weights.data(), s.k, s.c, s.f, s.f};
  }
  TensorView<float> d_weights(const Tensors& t) const {
    return {t.d_weights.data(), s.k, s.c, s.f, s.f};
  }
  TensorView<float> out(const Tensors& t) const {
    return {t.out.data(), s.n, s.k, s.out_h(), s.out_w()};
  }
  TensorView<const float> d_out(const Tensors& t) const {
    return {t.d_out.data(), s.n, s.k, s.out_h(), s.out_w()};
  }
  template <class T>
  NhwcView<T> nhwc_in(T* data) const {
    return {data, s.n, s.h, s.w, s.c};
  }
  template <class T>
  NhwcView<T> nhwc_weights(T* data) const {
    return {data, s.k, s.f, s.f, s.c};
  }
  template <class T>
  NhwcView<T> nhwc_out(T* data) const {
    return {data, s.n, s.out_h(), s.out_w(), s.k};
  }

  ConvolutionShape s;
  std::vector<Tensors> tensors;
  Buffer scratch;
  DeviceBuffer<unsigned> counters{1};
};

enum class Pass { forward, backward_input, backward_weights };

/// A sum in double, and that of its terms' magnitudes.
struct ReferenceSum {
  double sum = 0, magnitude = 0;
  void add(double term) {
    sum += term;
    magnitude += std::abs(term);
  }
};

/// The layer's FP32 inputs on the host, and single elements of what a pass makes of them, from the
/// definition.
class LayerReference {
 public:
  LayerReference(const Layer& layer, bool adds_bias)
      : s_(layer.s),
        adds_bias_(adds_bias),
        in_(layer.tensors[0].in.to_host()),
        weights_(layer.tensors[0].weights.to_host()),
        bias_(layer.tensors[0].bias.to_host()),
        d_out_(layer.tensors[0].d_out.to_host()) {}

  /// Channels, height and width of what the pass makes.
  std::vector<int> sides(Pass pass) const {
    if (pass == Pass::forward) return {s_.k, s_.out_h(), s_.out_w()};
    if (pass == Pass::backward_input) return {s_.c, s_.h, s_.w};
    return {s_.c, s_.f, s_.f};
  }
  /// Element (a, b, y, x), its image or filter first, then its channel.
  ReferenceSum element(Pass pass, int a, int b, int y, int x) const {
    if (pass == Pass::forward) return forward(a, b, y, x);
    return pass == Pass::backward_input ? d_in(a, b, y, x) : d_weights(a, b, y, x);
  }

 private:
  static double at(const std::vector<float>& tensor, int channels, int height, int width, int n,
                   int c, int y, int x) {
    const std::size_t place = ((std::size_t{1} * n * channels + c) * height + y) * width + x;
    return tensor[place];
  }
  double in(int n, int c, const Pixel& p) const {
    return at(in_, s_.c, s_.h, s_.w, n, c, p.y, p.x);
  }
  double d_out(int n, int k, const Pixel& p) const {
    return at(d_out_, s_.k, s_.out_h(), s_.out_w(), n, k, p.y, p.x);
  }
  double weight(int k, int c, int row, int col) const {
    return at(weights_, s_.c, s_.f, s_.f, k, c, row, col);
  }

  ReferenceSum forward(int n, int k, int y, int x) const {
    ReferenceSum sum;
    if (adds_bias_) sum.add(bias_[static_cast<std::size_t>(k)]);
    for (int tap = 0; tap < s_.taps(); ++tap) {
      const Tap t = tap_of(tap, s_.f);
      const Pixel p = under_tap(s_, {n, y, x}, t.row, t.col);
      if (p.image >= 0) sum.add(in(n, t.channel, p) * weight(k, t.channel, t.row, t.col));
    }
    return sum;
  }
  ReferenceSum d_in(int n, int c, int y, int x) const {
    ReferenceSum sum;
    for (int tap = 0; tap < s_.k * s_.f * s_.f; ++tap) {
      const Tap t = tap_of(tap, s_.f);  // the channel is the filter's number
      const Pixel p = over_pixel(s_, {n, y, x}, t.row, t.col);
      if (p.image >= 0) sum.add(d_out(n, t.channel, p) * weight(t.channel, c, t.row, t.col));
    }
    return sum;
  }
  ReferenceSum d_weights(int k, int c, int row, int col) const {
    ReferenceSum sum;
    for (int i = 0; i < s_.out_pixels(); ++i) {
      const Pixel out = pixel_of(i, s_.out_h(), s_.out_w());
      const Pixel p = under_tap(s_, out, row, col);
      if (p.image >= 0) sum.add(in(out.image, c, p) * d_out(out.image, k, out));
    }
    return sum;
  }

  ConvolutionShape s_;
  bool adds_bias_;
  std::vector<float> in_, weights_, bias_, d_out_;
};

/// Compares a sample of what a pass made, channels innermost or not, with the reference.
/// `rounding`: the unit of the inputs' numbers. Returns what is wrong, or "".
inline std::string layer_error(const LayerReference& reference, Pass pass,
                               const std::vector<float>& got, bool inner_channels,
                               double rounding) {
  constexpr std::size_t SAMPLES = 32;
  const std::vector<int> sides = reference.sides(pass);
  const int channels = sides[0], height = sides[1], width = sides[2];
  for (std::size_t i = 0; i < SAMPLES; ++i) {
    const std::size_t place = i * (got.size() - 1) / (SAMPLES - 1);
    std::size_t rest = place;
    const auto next = [&](int side) {
      const auto index = static_cast<int>(rest % static_cast<std::size_t>(side));
      rest /= static_cast<std::size_t>(side);
      return index;
    };
    int c = inner_channels ? next(channels) : 0;
    const int x = next(width), y = next(height);
    if (!inner_channels) c = next(channels);
    const ReferenceSum expected = reference.element(pass, static_cast<int>(rest), c, y, x);
    if (std::abs(got[place] - expected.sum) <= 4 * rounding * expected.magnitude) continue;
    return "wrong result at element " + std::to_string(place) + ": expected " +
           std::to_string(expected.sum) + ", got " + std::to_string(got[place]);
  }
  return "";
}

}  // namespace tut::ch13
