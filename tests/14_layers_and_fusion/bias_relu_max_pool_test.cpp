#include "14_layers_and_fusion/bias_relu_max_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "14_layers_and_fusion/bias.hpp"
#include "14_layers_and_fusion/max_pool.hpp"
#include "14_layers_and_fusion/pooling.hpp"
#include "14_layers_and_fusion/relu.hpp"
#include "guarded_vector.hpp"

namespace tut::ch14::test {
namespace {

struct Shape {
  int n, c, h, w;
  std::size_t size() const { return static_cast<std::size_t>(n) * c * h * w; }
  std::size_t pooled() const { return static_cast<std::size_t>(n) * c * (h / 2) * (w / 2); }
};

// The trainer's two, both sides odd, one of them, primes, wider than a block, a single window.
const std::vector<Shape> kShapes{{2, 3, 24, 24}, {5, 16, 8, 8},   {1, 1, 2, 2},  {3, 2, 5, 7},
                                 {2, 3, 6, 11},  {1, 2, 13, 4},   {1, 1, 3, 3},  {1, 1, 2, 602},
                                 {90, 3, 4, 6},  {2, 1, 3, 1031}, {7, 5, 2, 34}, {1, 4, 26, 26}};

// Everything around the pooled chain of one shape, on the device.
template <class T>
struct Chain {
  Shape shape;
  std::vector<T> host_in, host_gradient;
  std::vector<float> host_bias;
  GuardedVector<T> in, d_out, biased, rectified, pooled, d_rectified, d_biased;
  GuardedVector<float> bias, d_bias;

  // Small integers make ties; `shift` makes the memory begin off an aligned place.
  explicit Chain(const Shape& s, bool ties, std::size_t shift = 0)
      : shape(s),
        host_in(values(s.size(), ties)),
        host_gradient(random_vector<T>(s.pooled(), 2)),
        host_bias(random_vector<float>(static_cast<std::size_t>(s.c), 3)),
        in(host_in, shift),
        d_out(host_gradient, shift),
        biased(s.size()),
        rectified(s.size()),
        pooled(s.pooled()),
        d_rectified(s.size()),
        d_biased(s.size()),
        bias(host_bias),
        d_bias(static_cast<std::size_t>(s.c)) {}

  static std::vector<T> values(std::size_t size, bool ties) {
    std::vector<T> result(size);
    if (ties) {
      fill_small_integers(result, 1, 2);
    } else {
      fill_uniform(result, 1);
    }
    return result;
  }
  TensorView<T> full(const GuardedVector<T>& memory) const {
    return memory.tensor(shape.n, shape.c, shape.h, shape.w);
  }
  TensorView<T> half(const GuardedVector<T>& memory) const {
    return memory.tensor(shape.n, shape.c, shape.h / 2, shape.w / 2);
  }
  void forward() const {
    add_bias(full(in), bias.data(), full(biased));
    relu(biased.span(), rectified.span());
    max_pool(full(rectified), half(pooled));
  }
  void backward() const {
    max_pool_backward(full(rectified), half(d_out), full(d_rectified));
    relu_backward(rectified.span(), d_rectified.span(), d_biased.span());
    bias_backward(full(d_biased), d_bias.data());
  }
};

// Memory for the sums of the bias's gradient, and whether it is ready for the next call.
struct SumsMemory {
  DeviceBuffer<float> partial;
  DeviceBuffer<unsigned> finished;

  explicit SumsMemory(int channels)
      : partial(bias_sums_size(channels)), finished(static_cast<std::size_t>(channels)) {
    finished.fill_bytes(0);
  }
  BiasSums view() const { return {partial.data(), finished.data()}; }
  bool is_ready() const { return finished.to_host() == std::vector<unsigned>(finished.size(), 0u); }
};

// The chain in double, of values that need not be float's.
std::vector<double> reference(const Shape& s, const std::vector<double>& in,
                              const std::vector<double>& bias) {
  std::vector<double> out;
  for (int plane = 0; plane < s.n * s.c; ++plane) {
    for (int y = 0; y < s.h / 2; ++y) {
      for (int x = 0; x < s.w / 2; ++x) {
        const double* window = &in[(static_cast<std::size_t>(plane) * s.h + 2 * y) * s.w + 2 * x];
        const double largest = std::max({window[0], window[1], window[s.w], window[s.w + 1]});
        out.push_back(std::max(0.0, largest + bias[plane % s.c]));
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the windows of odd planes") {
  constexpr Pooling pooling{2, 5, 7};
  static_assert(pooling.out_h() == 2 && pooling.out_w() == 3 && pooling.rows() == 4);
  static_assert(pooling.first(0, 0) == 0 && pooling.first(1, 2) == 2 * 7 + 4);
  static_assert(pooling.first(2, 0) == 5 * 7 && pooling.first(3, 1) == (5 + 2) * 7 + 2);
  static_assert(pooling.pooled(3, 1) == 10 && !pooling.is_even());
  // Blocks that leave no thread without a window, where there are such.
  const PoolingLaunch exact = pooling_launch({24, 8, 8});
  CHECK(exact.exact);
  CHECK(exact.block.x == 4);
  CHECK(exact.block.y == 48);
  CHECK(exact.grid.x == 2);
  CHECK(!pooling_launch({1, 2 * 257, 2}).exact);
}

TEST_CASE("bias, ReLU and max-pooling fused give the bits of the three") {
  for (const Shape& s : kShapes) {
    for (const bool ties : {true, false}) {
      for (const std::size_t shift : {0, 1}) {
        CAPTURE(s.h);
        CAPTURE(s.w);
        CAPTURE(ties);
        CAPTURE(shift);
        const Chain<float> chain(s, ties, shift);
        chain.forward();
        chain.backward();
        const GuardedVector<float> out(s.pooled(), shift), d_in(s.size(), shift),
            d_bias(static_cast<std::size_t>(s.c));
        const DeviceBuffer<Winner> winners(s.pooled());
        const SumsMemory sums(s.c);
        bias_relu_max_pool(chain.full(chain.in), chain.bias.data(), chain.half(out),
                           {winners.data(), winners.size()});
        bias_relu_max_pool_backward({winners.data(), winners.size()}, chain.half(chain.d_out),
                                    chain.full(d_in), d_bias.data(), sums.view());
        CHECK(same_bytes(out.read(), chain.pooled.read()));
        const GuardedVector<float> inferred(s.pooled(), shift);
        bias_relu_max_pool(chain.full(chain.in), chain.bias.data(), chain.half(inferred), {});
        CHECK(same_bytes(inferred.read(), out.read()));
        CHECK(d_in.read() == chain.d_biased.read());
        check_near(d_bias.read_double(), chain.d_bias.read_double(), 1e-5, 1e-5);
        CHECK(sums.is_ready());
        const GuardedVector<float> alone(s.size(), shift);
        bias_relu_max_pool_backward({winners.data(), winners.size()}, chain.half(chain.d_out),
                                    chain.full(alone), nullptr);
        CHECK(same_bytes(alone.read(), d_in.read()));
        CHECK(same_bytes(chain.in.read(), chain.host_in));
        CHECK(same_bytes(chain.d_out.read(), chain.host_gradient));
      }
    }
  }
}

TEST_CASE_TEMPLATE("the chain is its definition, fused or not", T, float, __half, __nv_bfloat16) {
  constexpr double u = Precision<T>::rounding;
  for (const Shape& s : kShapes) {
    CAPTURE(s.h);
    CAPTURE(s.w);
    const Chain<T> chain(s, false);
    chain.forward();
    const GuardedVector<T> out(s.pooled());
    const DeviceBuffer<Winner> winners(s.pooled());
    bias_relu_max_pool(chain.full(chain.in), chain.bias.data(), chain.half(out),
                       {winners.data(), winners.size()});
    const std::vector<double> expected =
        reference(s, in_double(chain.host_in), in_double(chain.host_bias));
    const double underflow = Precision<T>::underflow + 1e-7;
    check_near(out.read_double(), expected, u, underflow);
    check_near(chain.pooled.read_double(), expected, u, underflow);
  }
}

TEST_CASE("the chain's gradients agree with central differences") {
  for (const Shape& s : {Shape{2, 3, 4, 6}, {1, 2, 5, 7}}) {
    const Chain<float> chain(s, false);
    const GuardedVector<float> out(s.pooled()), d_in(s.size()),
        d_bias(static_cast<std::size_t>(s.c));
    const DeviceBuffer<Winner> winners(s.pooled());
    const SumsMemory sums(s.c);
    bias_relu_max_pool(chain.full(chain.in), chain.bias.data(), chain.half(out),
                       {winners.data(), winners.size()});
    bias_relu_max_pool_backward({winners.data(), winners.size()}, chain.half(chain.d_out),
                                chain.full(d_in), d_bias.data(), sums.view());
    std::vector<double> x = in_double(chain.host_in), b = in_double(chain.host_bias);
    const std::vector<double> g = in_double(chain.host_gradient);
    const auto loss = [&] { return dot(g, reference(s, x, b)); };
    check_near(d_in.read_double(), central_differences(x, loss), 1e-6, 1e-7);
    check_near(d_bias.read_double(), central_differences(b, loss), 1e-5, 1e-6);
  }
}

TEST_CASE("a NaN in the first place of a window is seen, and gets no gradient from the ReLU") {
  const GuardedVector<float> in(std::vector<float>{NAN, 5, 4, 2}), out(std::size_t{1}),
      pooled(std::size_t{1}), d_in(std::size_t{4}), d_out(std::vector<float>{1}),
      bias(std::vector<float>{1});
  const DeviceBuffer<Winner> winners(1);
  max_pool(in.tensor(1, 1, 2, 2), pooled.tensor(1, 1, 1, 1));
  CHECK(std::isnan(pooled.read()[0]));
  max_pool_backward(in.tensor(1, 1, 2, 2), d_out.tensor(1, 1, 1, 1), d_in.tensor(1, 1, 2, 2));
  CHECK(d_in.read() == std::vector<float>{1, 0, 0, 0});
  bias_relu_max_pool(in.tensor(1, 1, 2, 2), bias.data(), out.tensor(1, 1, 1, 1),
                     {winners.data(), 1});
  CHECK(std::isnan(out.read()[0]));
  CHECK(winners.to_host()[0] == Winner::none);
}

TEST_CASE("the pooled chain runs the same twice" * doctest::test_suite("unwatched")) {
  const Shape s{16, 8, 24, 24};
  const Chain<float> chain(s, false);
  const GuardedVector<float> out(s.pooled()), d_in(s.size()), d_bias(std::size_t{8});
  const DeviceBuffer<Winner> winners(s.pooled());
  const SumsMemory sums(s.c);
  std::vector<std::vector<float>> biases, gradients;
  for (int run = 0; run < 2; ++run) {
    chain.forward();
    chain.backward();
    gradients.push_back(chain.d_bias.read());
    bias_relu_max_pool(chain.full(chain.in), chain.bias.data(), chain.half(out),
                       {winners.data(), winners.size()});
    bias_relu_max_pool_backward({winners.data(), winners.size()}, chain.half(chain.d_out),
                                chain.full(d_in), d_bias.data(), sums.view());
    biases.push_back(d_bias.read());
  }
  CHECK(same_bytes(biases[0], biases[1]));
  CHECK(same_bytes(gradients[0], gradients[1]));
}

TEST_CASE("the pooled chain refuses what does not fit") {
  const GuardedVector<float> memory(std::size_t{64});
  const DeviceBuffer<Winner> winners(4);
  const auto in = memory.tensor(1, 1, 4, 4), out = memory.tensor(1, 1, 2, 2);
  CHECK_THROWS_AS(bias_relu_max_pool(in, memory.data(), out, {winners.data(), 3}),
                  std::invalid_argument);
  CHECK_THROWS_AS(bias_relu_max_pool(in, nullptr, out, {winners.data(), 4}), std::invalid_argument);
  CHECK_THROWS_AS(
      bias_relu_max_pool(in, memory.data(), memory.tensor(1, 1, 2, 1), {winners.data(), 2}),
      std::invalid_argument);
  CHECK_THROWS_AS(
      bias_relu_max_pool_backward({winners.data(), 4}, out, in, memory.data(), BiasSums{}),
      std::invalid_argument);
  CHECK_THROWS_AS(max_pool(memory.tensor(1, 1, 1, 4), memory.tensor(1, 1, 0, 2)),
                  std::invalid_argument);
}

}  // namespace tut::ch14::test
