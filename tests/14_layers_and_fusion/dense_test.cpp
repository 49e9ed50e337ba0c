#include "14_layers_and_fusion/dense.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "guarded_vector.hpp"

namespace tut::ch14::test {
namespace {

struct Shape {
  int n, i, j;
};

// Tiles of 64 x 64 and depths of 32, more and less by one; few outputs; slices of the inputs, the
// last of them short; single ones.
const std::vector<Shape> kShapes{{64, 64, 64},   {1, 1, 1},     {65, 33, 63}, {3, 129, 17},
                                 {63, 31, 65},   {2, 1000, 20}, {1, 257, 70}, {70, 5, 130},
                                 {64, 2304, 32}, {5, 3000, 3},  {1, 1, 17},   {17, 1, 1}};

std::size_t count(int rows, int cols) { return static_cast<std::size_t>(rows) * cols; }

// A sum with what bounds its error.
struct Sum {
  double value = 0, magnitude = 0;
  void add(double term) {
    value += term;
    magnitude += std::abs(term);
  }
};

void check_sums(const std::vector<float>& got, const std::vector<Sum>& expected, int terms) {
  REQUIRE(got.size() == expected.size());
  const double bound = 2 * std::sqrt(terms + 1.0) * 0x1p-24;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Sum& sum = expected[i];
    if (std::abs(got[i] - sum.value) <= bound * sum.magnitude + 0x1p-24 * std::abs(sum.value)) {
      continue;
    }
    FAIL_CHECK("kind: values: element " << i << " is " << got[i] << "; expected " << sum.value);
    return;
  }
}

// One layer with random values on the device.
struct Layer {
  Shape s;
  std::vector<float> host_in, host_weights, host_bias, host_gradient;
  GuardedVector<float> in, weights, bias, d_out, out, d_in, d_weights, d_bias;

  explicit Layer(const Shape& shape)
      : s(shape),
        host_in(random_vector<float>(count(s.n, s.i), 1)),
        host_weights(random_vector<float>(count(s.j, s.i), 2)),
        host_bias(random_vector<float>(count(1, s.j), 3)),
        host_gradient(random_vector<float>(count(s.n, s.j), 4)),
        in(host_in),
        weights(host_weights),
        bias(host_bias),
        d_out(host_gradient),
        out(count(s.n, s.j)),
        d_in(count(s.n, s.i)),
        d_weights(count(s.j, s.i)),
        d_bias(count(1, s.j)) {}

  void forward(std::span<float> scratch) const {
    dense(in.matrix(s.n, s.i), weights.matrix(s.j, s.i), bias.data(), out.matrix(s.n, s.j),
          scratch);
  }
  void backward() const {
    dense_backward(in.matrix(s.n, s.i), weights.matrix(s.j, s.i), d_out.matrix(s.n, s.j),
                   d_in.matrix(s.n, s.i), d_weights.matrix(s.j, s.i), d_bias.data());
  }
};

}  // namespace

TEST_CASE("the dense layer of any size, whole and in slices, and its gradients") {
  for (const Shape& s : kShapes) {
    CAPTURE(s.n);
    CAPTURE(s.i);
    CAPTURE(s.j);
    const Layer layer(s);
    std::vector<Sum> out(count(s.n, s.j)), d_in(count(s.n, s.i)), d_weights(count(s.j, s.i));
    std::vector<Sum> d_bias(count(1, s.j));
    for (int n = 0; n < s.n; ++n) {
      for (int j = 0; j < s.j; ++j) {
        const double gradient = layer.host_gradient[n * s.j + j];
        out[n * s.j + j].add(layer.host_bias[j]);
        d_bias[j].add(gradient);
        for (int i = 0; i < s.i; ++i) {
          const double x = layer.host_in[n * s.i + i], w = layer.host_weights[j * s.i + i];
          out[n * s.j + j].add(x * w);
          d_in[n * s.i + i].add(gradient * w);
          d_weights[j * s.i + i].add(gradient * x);
        }
      }
    }
    const GuardedVector<float> scratch(dense_scratch(s.n, s.i, s.j));
    layer.forward({});
    check_sums(layer.out.read(), out, s.i);
    layer.forward(scratch.span());
    check_sums(layer.out.read(), out, s.i);
    scratch.read();  // only inside written
    layer.backward();
    check_sums(layer.d_in.read(), d_in, s.j);
    check_sums(layer.d_weights.read(), d_weights, s.n);
    check_sums(layer.d_bias.read(), d_bias, s.n);
    CHECK(same_bytes(layer.in.read(), layer.host_in));
    CHECK(same_bytes(layer.weights.read(), layer.host_weights));
    CHECK(same_bytes(layer.d_out.read(), layer.host_gradient));
  }
}

TEST_CASE("the dense layer runs the same twice" * doctest::test_suite("unwatched")) {
  const Shape s{64, 2304, 32};
  REQUIRE(dense_scratch(s.n, s.i, s.j) > count(s.n, s.j));
  const Layer layer(s);
  const GuardedVector<float> scratch(dense_scratch(s.n, s.i, s.j));
  std::vector<std::vector<float>> outs, gradients;
  for (int run = 0; run < 2; ++run) {
    layer.forward(scratch.span());
    layer.backward();
    outs.push_back(layer.out.read());
    gradients.push_back(layer.d_weights.read());
  }
  CHECK(same_bytes(outs[0], outs[1]));
  CHECK(same_bytes(gradients[0], gradients[1]));
}

TEST_CASE("the dense layer's gradients agree with central differences") {
  const Shape s{3, 5, 18};
  const Layer layer(s);
  layer.backward();
  std::vector<double> x = in_double(layer.host_in), w = in_double(layer.host_weights);
  std::vector<double> b = in_double(layer.host_bias);
  const std::vector<double> g = in_double(layer.host_gradient);
  const auto loss = [&] {
    double sum = 0;
    for (int n = 0; n < s.n; ++n) {
      for (int j = 0; j < s.j; ++j) {
        double out = b[j];
        for (int i = 0; i < s.i; ++i) out += x[n * s.i + i] * w[j * s.i + i];
        sum += g[n * s.j + j] * out * out / 2;
      }
    }
    return sum;
  };
  // The loss is a square: its gradient with respect to the output is g times the output.
  layer.forward({});
  std::vector<float> gradient = layer.out.read();
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] *= layer.host_gradient[i];
  const GuardedVector<float> d_out(gradient);
  dense_backward(layer.in.matrix(s.n, s.i), layer.weights.matrix(s.j, s.i), d_out.matrix(s.n, s.j),
                 layer.d_in.matrix(s.n, s.i), layer.d_weights.matrix(s.j, s.i),
                 layer.d_bias.data());
  check_near(layer.d_in.read_double(), central_differences(x, loss), 1e-4, 1e-5);
  check_near(layer.d_weights.read_double(), central_differences(w, loss), 1e-4, 1e-5);
  check_near(layer.d_bias.read_double(), central_differences(b, loss), 1e-4, 1e-5);
}

TEST_CASE("the dense layer refuses too little scratch memory, and shapes that do not fit") {
  const Shape s{64, 2304, 32};
  const Layer layer(s);
  const GuardedVector<float> scratch(dense_scratch(s.n, s.i, s.j) - 1);
  CHECK_THROWS_AS(layer.forward(scratch.span()), std::invalid_argument);
  const auto data = [&](int rows, int cols) { return layer.in.matrix(rows, cols); };
  CHECK_THROWS_AS(
      dense_backward(data(2, 3), data(4, 3), data(2, 5), data(2, 3), data(4, 3), layer.bias.data()),
      std::invalid_argument);
  CHECK_THROWS_AS(
      dense_backward(data(2, 3), data(4, 3), data(2, 4), data(2, 4), data(4, 3), layer.bias.data()),
      std::invalid_argument);
  CHECK_THROWS_AS(
      dense_backward(data(2, 3), data(4, 3), data(2, 4), data(2, 3), data(4, 3), nullptr),
      std::invalid_argument);
}

}  // namespace tut::ch14::test
