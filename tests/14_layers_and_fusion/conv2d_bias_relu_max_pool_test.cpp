#include "14_layers_and_fusion/conv2d_bias_relu_max_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "13_convolution/conv2d.hpp"
#include "14_layers_and_fusion/conv2d_bias_relu_max_pool_backward.hpp"
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

// Winners of every kind, as no forward pass would leave them, and gradients of the pooled tensor.
struct PooledGradient {
  std::vector<float> host_d_out;
  std::vector<Winner> host_winners;

  explicit PooledGradient(std::size_t size) : host_d_out(random_vector<float>(size, 4)) {
    for (std::size_t i = 0; i < size; ++i) {
      host_winners.push_back(static_cast<Winner>(i * 7919 / 3 % 5));
    }
  }
};

// The gradients of the weights and the bias in double, and the sizes of their terms.
struct WeightGradients {
  std::vector<double> weights, bias, weight_sizes, bias_sizes;
};
WeightGradients expected_gradients(const Layer& layer, const PooledGradient& pooled) {
  const ConvolutionShape& s = layer.s;
  const auto count = static_cast<std::size_t>(s.weights_size());
  WeightGradients g{std::vector<double>(count), std::vector<double>(s.k),
                    std::vector<double>(count), std::vector<double>(s.k)};
  std::size_t at = 0;
  for (int n = 0; n < s.n; ++n) {
    for (int k = 0; k < s.k; ++k) {
      for (int y = 0; y < s.out_h() / 2; ++y) {
        for (int x = 0; x < s.out_w() / 2; ++x, ++at) {
          const int place = static_cast<int>(pooled.host_winners[at]);
          if (place > 3) continue;
          const double gradient = pooled.host_d_out[at];
          g.bias[k] += gradient;
          g.bias_sizes[k] += std::abs(gradient);
          for (int tap = 0; tap < s.taps(); ++tap) {
            const ch13::Tap t = ch13::tap_of(tap, s.f);
            const ch13::Pixel p =
                ch13::under_tap(s, {n, 2 * y + place / 2, 2 * x + place % 2}, t.row, t.col);
            if (p.image < 0) continue;
            const double product =
                gradient *
                layer.host_in[((static_cast<std::size_t>(p.image) * s.c + t.channel) * s.h + p.y) *
                                  s.w +
                              p.x];
            g.weights[static_cast<std::size_t>(k) * s.taps() + tap] += product;
            g.weight_sizes[static_cast<std::size_t>(k) * s.taps() + tap] += std::abs(product);
          }
        }
      }
    }
  }
  return g;
}

void check_sums(const std::vector<float>& got, const std::vector<double>& expected,
                const std::vector<double>& sizes, double terms) {
  REQUIRE(got.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = 2 * std::sqrt(terms + 1) * 0x1p-24 * sizes[i] + 1e-30;
    if (!(std::abs(got[i] - expected[i]) <= error)) ++wrong;
  }
  CHECK_MESSAGE(wrong == 0, wrong << " of " << got.size() << " sums are wrong");
}

// Memory for the sums of blocks, and whether it is ready for the next call.
struct BlockSums {
  GuardedVector<float> partial;
  DeviceBuffer<unsigned> finished;

  explicit BlockSums(const Layer& layer)
      : partial(conv2d_bias_relu_max_pool_backward_weights_scratch(
            layer.in.tensor(layer.s.n, layer.s.c, layer.s.h, layer.s.w),
            layer.weights.tensor(layer.s.k, layer.s.c, layer.s.f, layer.s.f), layer.s.padding)),
        finished(ch13::conv2d_tiles_backward_weights_counters(
            layer.weights.tensor(layer.s.k, layer.s.c, layer.s.f, layer.s.f))) {
    finished.fill_bytes(0);
  }
  ch13::SliceSums view() const { return {partial.span(), {finished.data(), finished.size()}}; }
  bool is_ready() const { return finished.to_host() == std::vector<unsigned>(finished.size(), 0u); }
};

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

TEST_CASE("the gradients of weights and bias straight from the pooled tensor's") {
  for (ConvolutionShape s : kShapes) {
    for (const int images : {s.n, 19 * s.n}) {  // of one slice, and of several groups of slices
      if (images != s.n && s.out_size() * s.taps() > 1000000) continue;
      s.n = images;
      CAPTURE(s.n);
      CAPTURE(s.h);
      CAPTURE(s.k);
      CAPTURE(s.f);
      const Layer layer(s);
      const PooledGradient pooled(layer.pooled_size());
      const GuardedVector<float> d_out(pooled.host_d_out), d_weights(layer.host_weights.size()),
          d_bias(static_cast<std::size_t>(s.k));
      const DeviceBuffer<Winner> winners(pooled.host_winners);
      const BlockSums sums(layer);
      const auto run = [&] {
        conv2d_bias_relu_max_pool_backward_weights(
            layer.in.tensor(s.n, s.c, s.h, s.w), all(winners), layer.pooled(d_out),
            d_weights.tensor(s.k, s.c, s.f, s.f), d_bias.data(), sums.view(), s.padding);
      };
      run();
      const std::vector<float> weights = d_weights.read(), bias = d_bias.read();
      const WeightGradients expected = expected_gradients(layer, pooled);
      const double windows = static_cast<double>(s.n) * (s.out_h() / 2) * (s.out_w() / 2);
      check_sums(weights, expected.weights, expected.weight_sizes, windows);
      check_sums(bias, expected.bias, expected.bias_sizes, windows);
      CHECK(sums.is_ready());
      run();
      CHECK(same_bytes(d_weights.read(), weights));
      CHECK(same_bytes(d_bias.read(), bias));
      CHECK(same_bytes(d_out.read(), pooled.host_d_out));
      sums.partial.read();
    }
  }
}

TEST_CASE("the gradients straight from the pooled tensor's, of tensors at odd places") {
  const ConvolutionShape s = kShapes[0];
  const Layer layer(s);
  const PooledGradient pooled(layer.pooled_size());
  const GuardedVector<float> d_out(pooled.host_d_out), shifted(pooled.host_d_out, 1);
  const GuardedVector<float> d_weights(layer.host_weights.size()),
      moved_weights(layer.host_weights.size(), 1), d_bias(static_cast<std::size_t>(s.k));
  std::vector<Winner> one_more{Winner::none};
  one_more.insert(one_more.end(), pooled.host_winners.begin(), pooled.host_winners.end());
  const DeviceBuffer<Winner> winners(pooled.host_winners), memory(one_more);
  const BlockSums sums(layer);
  const auto run = [&](const auto& from, std::span<Winner> where, const auto& to) {
    conv2d_bias_relu_max_pool_backward_weights(layer.in.tensor(s.n, s.c, s.h, s.w), where,
                                               layer.pooled(from), to.tensor(s.k, s.c, s.f, s.f),
                                               d_bias.data(), sums.view());
  };
  run(d_out, all(winners), d_weights);
  run(shifted, all(memory).subspan(1), moved_weights);
  CHECK(same_bytes(moved_weights.read(), d_weights.read()));
}

TEST_CASE("memory for the sums of a batch is enough for a smaller one") {
  for (const ConvolutionShape& s : {kShapes[0], kShapes[1], kShapes[9]}) {
    std::size_t largest = 0;
    for (int n = 1; n <= 600; ++n) {
      const std::size_t size = conv2d_bias_relu_max_pool_backward_weights_scratch(
          {nullptr, n, s.c, s.h, s.w}, {nullptr, s.k, s.c, s.f, s.f}, s.padding);
      CHECK(size >= largest);
      largest = std::max(largest, size);
    }
  }
}

TEST_CASE("an infinite gradient of a window stays in its place") {
  const ConvolutionShape s{1, 1, 5, 5, 1, 1, 0, 1};
  Layer layer(s);
  const GuardedVector<float> in(std::vector<float>(25, 0.5f));
  const float infinity = std::numeric_limits<float>::infinity();
  const GuardedVector<float> d_out(std::vector<float>{1.0f, 2.0f, infinity, 4.0f});
  const GuardedVector<float> d_weights(std::size_t{1}), d_bias(std::size_t{1});
  // A window without a winner counts for nothing, whatever its gradient is.
  const DeviceBuffer<Winner> winners(std::vector<Winner>{Winner::upper_left, Winner::lower_right,
                                                         Winner::none, Winner::upper_right});
  const BlockSums sums(layer);
  conv2d_bias_relu_max_pool_backward_weights(in.tensor(1, 1, 5, 5), all(winners),
                                             d_out.tensor(1, 1, 2, 2), d_weights.tensor(1, 1, 1, 1),
                                             d_bias.data(), sums.view());
  CHECK(d_weights.read()[0] == 3.5f);
  CHECK(d_bias.read()[0] == 7.0f);
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

TEST_CASE("the gradients straight from the pooled tensor's refuse what does not fit") {
  const ConvolutionShape s{1, 1, 6, 6, 1, 3, 0, 1};
  const Layer layer(s);
  const GuardedVector<float> memory(std::vector<float>(256, 1.0f)), d_weights(std::size_t{9}),
      d_bias(std::size_t{1});
  const DeviceBuffer<Winner> winners(std::vector<Winner>(4, Winner::none));
  const BlockSums enough(layer);
  const auto in = memory.tensor(1, 1, 6, 6), d_out = memory.tensor(1, 1, 2, 2),
             to = d_weights.tensor(1, 1, 3, 3);
  const ch13::SliceSums sums = enough.view();
  CHECK_NOTHROW(
      conv2d_bias_relu_max_pool_backward_weights(in, all(winners), d_out, to, d_bias.data(), sums));
  const auto refused = [&](auto... arguments) {
    CHECK_THROWS_AS(conv2d_bias_relu_max_pool_backward_weights(arguments...),
                    std::invalid_argument);
  };
  refused(in, all(winners), d_out, to, nullptr, sums);
  refused(in, all(winners).first(3), d_out, to, d_bias.data(), sums);
  refused(in, all(winners), memory.tensor(1, 1, 2, 1), to, d_bias.data(), sums);
  refused(in, all(winners), d_out, d_weights.tensor(1, 2, 3, 3), d_bias.data(), sums);
  refused(in, all(winners), d_out, to, d_bias.data(), sums, -1);
  refused(in, all(winners), d_out, to, d_bias.data(),
          ch13::SliceSums{sums.partial.first(sums.partial.size() - 1), sums.finished});
  refused(in, all(winners), d_out, to, d_bias.data(),
          ch13::SliceSums{sums.partial, sums.finished.first(sums.finished.size() - 1)});
  refused(in, all(winners), d_out, to, d_bias.data(), ch13::SliceSums{sums.partial});
}

}  // namespace tut::ch14::test
