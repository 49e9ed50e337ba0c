#include "14_layers_and_fusion/conv2d_bias_relu_max_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "13_convolution/conv2d.hpp"
#include "guarded_vector.hpp"

namespace tut::ch14::test {
namespace {

using ch13::ConvolutionShape;

// Layers of networks, whose rows are copied and written in whole groups; then odd sides, padding,
// one window, filters that no group of four holds, rows of several tiles, images of one window, and
// more channels than are staged at once.
const std::vector<ConvolutionShape> kShapes{
    {3, 1, 28, 28, 8, 5, 0, 1},  {2, 8, 12, 12, 16, 5, 0, 1}, {1, 32, 26, 26, 64, 3, 0, 1},
    {1, 1, 2, 2, 1, 1, 0, 1},    {2, 3, 7, 9, 5, 3, 1, 1},    {1, 1, 28, 28, 7, 5, 0, 1},
    {2, 8, 12, 12, 16, 5, 1, 1}, {5, 2, 6, 7, 36, 5, 2, 1},   {1, 2, 5, 150, 3, 3, 0, 1},
    {70, 3, 4, 4, 4, 3, 0, 1},   {2, 130, 3, 6, 9, 1, 0, 1},  {1, 40, 11, 40, 33, 5, 3, 1}};

// A layer's tensors on the device.
struct Layer {
  ConvolutionShape s;
  std::vector<float> host_in, host_weights, host_bias;
  GuardedVector<float> in, weights, bias;

  explicit Layer(const ConvolutionShape& shape)
      : s(shape),
        host_in(values(shape.in_size(), 1)),
        host_weights(values(shape.weights_size(), 2)),
        host_bias(values(shape.k, 3)),
        in(host_in),
        weights(host_weights),
        bias(host_bias) {}

  static std::vector<float> values(std::int64_t size, std::uint64_t seed) {
    return random_vector<float>(static_cast<std::size_t>(size), seed);
  }
  std::size_t pooled_size() const {
    return static_cast<std::size_t>(s.n) * s.k * (s.out_h() / 2) * (s.out_w() / 2);
  }
  TensorView<float> pooled(const GuardedVector<float>& memory) const {
    return memory.tensor(s.n, s.k, s.out_h() / 2, s.out_w() / 2);
  }
  void fused(const GuardedVector<float>& out, std::span<Winner> winners) const {
    conv2d_bias_relu_max_pool(in.tensor(s.n, s.c, s.h, s.w), weights.tensor(s.k, s.c, s.f, s.f),
                              bias.data(), pooled(out), winners, s.padding);
  }
  void in_two(const GuardedVector<float>& sums, const GuardedVector<float>& out,
              std::span<Winner> winners) const {
    const GuardedVector<float> zeros(std::vector<float>(static_cast<std::size_t>(s.k), 0.0f));
    const auto between = sums.tensor(s.n, s.k, s.out_h(), s.out_w());
    ch13::conv2d(in.tensor(s.n, s.c, s.h, s.w), weights.tensor(s.k, s.c, s.f, s.f), zeros.data(),
                 between, {s.padding, 1});
    bias_relu_max_pool(between, bias.data(), pooled(out), winners);
  }
};

// The sum under one filter in double, and that of its terms' sizes.
std::pair<double, double> sum_at(const Layer& layer, const ch13::Pixel& at, int filter) {
  const ConvolutionShape& s = layer.s;
  double sum = layer.host_bias[filter], size = std::abs(sum);
  for (int tap = 0; tap < s.taps(); ++tap) {
    const ch13::Tap t = ch13::tap_of(tap, s.f);
    const ch13::Pixel p = ch13::under_tap(s, at, t.row, t.col);
    if (p.image < 0) continue;
    const double product =
        static_cast<double>(layer.host_weights[static_cast<std::size_t>(filter) * s.taps() + tap]) *
        layer.host_in[((static_cast<std::size_t>(p.image) * s.c + t.channel) * s.h + p.y) * s.w +
                      p.x];
    sum += product;
    size += std::abs(product);
  }
  return {sum, size};
}

// Each pooled element against its definition in double; a winner must hold the largest sum, to
// within the rounding that two sums may differ by.
void check_definition(const Layer& layer, const std::vector<float>& out,
                      const std::vector<Winner>& winners) {
  const ConvolutionShape& s = layer.s;
  const double u = 2 * std::sqrt(s.taps() + 1.0) * 0x1p-24;
  std::size_t at = 0, wrong = 0;
  for (int n = 0; n < s.n; ++n) {
    for (int k = 0; k < s.k; ++k) {
      for (int y = 0; y < s.out_h() / 2; ++y) {
        for (int x = 0; x < s.out_w() / 2; ++x, ++at) {
          double sums[4], error = 1e-30;
          for (int i = 0; i < 4; ++i) {
            const auto [sum, size] = sum_at(layer, {n, 2 * y + i / 2, 2 * x + i % 2}, k);
            sums[i] = sum;
            error = std::max(error, u * size);
          }
          const double largest = *std::max_element(sums, sums + 4);
          if (!(std::abs(out[at] - std::max(0.0, largest)) <= error)) ++wrong;
          const int winner = static_cast<int>(winners[at]);
          const bool right = winner < 4 ? sums[winner] >= largest - 2 * error : largest <= error;
          if (!right) ++wrong;
        }
      }
    }
  }
  CHECK(at == out.size());
  CHECK_MESSAGE(wrong == 0, wrong << " of " << at << " windows are wrong");
}

std::span<Winner> all(const DeviceBuffer<Winner>& winners) {
  return {winners.data(), winners.size()};
}

}  // namespace

TEST_CASE("a convolution with its epilogue is its definition") {
  for (const ConvolutionShape& s : kShapes) {
    CAPTURE(s.h);
    CAPTURE(s.k);
    CAPTURE(s.f);
    const Layer layer(s);
    const GuardedVector<float> out(layer.pooled_size()), inferred(layer.pooled_size());
    const DeviceBuffer<Winner> winners(layer.pooled_size());
    layer.fused(out, all(winners));
    check_definition(layer, out.read(), winners.to_host());
    layer.fused(inferred, {});
    CHECK(same_bytes(inferred.read(), out.read()));
    CHECK(same_bytes(layer.in.read(), layer.host_in));
    CHECK(same_bytes(layer.weights.read(), layer.host_weights));
  }
}

TEST_CASE("one kernel and two agree") {
  for (const ConvolutionShape& s : kShapes) {
    CAPTURE(s.h);
    CAPTURE(s.k);
    const Layer layer(s);
    const GuardedVector<float> sums(static_cast<std::size_t>(s.out_size())),
        apart(layer.pooled_size()), out(layer.pooled_size());
    const DeviceBuffer<Winner> winners(layer.pooled_size());
    layer.in_two(sums, apart, all(winners));
    layer.fused(out, all(winners));
    check_near(out.read_double(), apart.read_double(), 1e-5, 1e-4);
  }
}

TEST_CASE("a convolution with its epilogue, of tensors that begin at odd places") {
  const ConvolutionShape s = kShapes[0];
  const Layer layer(s);
  const GuardedVector<float> out(layer.pooled_size()), shifted(layer.pooled_size(), 1);
  const GuardedVector<float> in(layer.host_in, 1);
  const DeviceBuffer<Winner> winners(layer.pooled_size()), memory(layer.pooled_size() + 1);
  layer.fused(out, all(winners));
  conv2d_bias_relu_max_pool(in.tensor(s.n, s.c, s.h, s.w), layer.weights.tensor(s.k, s.c, s.f, s.f),
                            layer.bias.data(), layer.pooled(shifted), all(memory).subspan(1));
  CHECK(same_bytes(shifted.read(), out.read()));
  const std::vector<Winner> one_more = memory.to_host();
  CHECK(same_bytes(std::vector<Winner>(one_more.begin() + 1, one_more.end()), winners.to_host()));
}

TEST_CASE("a convolution with its epilogue passes a NaN on") {
  Layer layer(kShapes[1]);
  layer.host_bias[3] = std::numeric_limits<float>::quiet_NaN();
  const GuardedVector<float> bias(layer.host_bias), out(layer.pooled_size());
  const ConvolutionShape& s = layer.s;
  conv2d_bias_relu_max_pool(layer.in.tensor(s.n, s.c, s.h, s.w),
                            layer.weights.tensor(s.k, s.c, s.f, s.f), bias.data(),
                            layer.pooled(out), {});
  const std::vector<float> values = out.read();
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(std::isnan(values[i]) == (i / 16 % 16 == 3));  // 4 x 4 windows, 16 filters
  }
}

TEST_CASE("a convolution with its epilogue refuses what does not fit") {
  const GuardedVector<float> memory(std::vector<float>(256, 1.0f)), pooled(std::size_t{4});
  const DeviceBuffer<Winner> winners(4);
  const auto in = memory.tensor(1, 1, 6, 6), weights = memory.tensor(1, 1, 3, 3),
             out = pooled.tensor(1, 1, 2, 2);
  const float* bias = memory.data();
  CHECK_NOTHROW(conv2d_bias_relu_max_pool(in, weights, bias, out, all(winners)));
  const auto refused = [&](auto... arguments) {
    CHECK_THROWS_AS(conv2d_bias_relu_max_pool(arguments...), std::invalid_argument);
  };
  refused(in, weights, nullptr, out, all(winners));
  refused(in, weights, bias, pooled.tensor(1, 1, 2, 1), all(winners));
  refused(in, weights, bias, out, all(winners).first(3));
  refused(in, memory.tensor(1, 1, 6, 6), bias, pooled.tensor(1, 1, 0, 0), std::span<Winner>{});
  refused(in, memory.tensor(1, 2, 3, 3), bias, out, all(winners));
  refused(in, weights, bias, out, all(winners), -1);
  // No tiles for filters of this side.
  refused(in, memory.tensor(1, 1, 2, 2), bias, out, all(winners));
}

}  // namespace tut::ch14::test
