#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../13_convolution/guarded_device.hpp"
#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/max_pool.hpp"
#include "14_layers_and_fusion/relu.hpp"
#include "14_layers_and_fusion/sgd_momentum.hpp"
#include "14_layers_and_fusion/softmax_cross_entropy.hpp"

namespace {

using namespace tut;
using namespace tut::test;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::string error_of(const auto& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Around one block of threads, and a single element.
const std::vector<std::size_t> kSizes{1, 31, 255, 256, 257, 5000};

// (f(x + h) - f(x - h)) / 2h.
template <class Function>
double central_difference(double& variable, const Function& f) {
  constexpr double step = 1e-4;
  const double at = variable;
  variable = at + step;
  const double above = f();
  variable = at - step;
  const double below = f();
  variable = at;
  return (above - below) / (2 * step);
}

}  // namespace

TEST_CASE("relu and its gradient") {
  for (const std::size_t size : kSizes) {
    CAPTURE(size);
    std::vector<float> host = random_values(size, 1);
    const std::vector<float> host_gradient = random_values(size, 2);
    host[size / 2] = 0.0f;
    const GuardedDevice in(host), d_out(host_gradient), out(size), d_in(size);
    ch14::relu(in.span(), out.span());
    ch14::relu_backward(in.span(), d_out.span(), d_in.span());
    std::vector<float> expected(size), expected_gradient(size);
    for (std::size_t i = 0; i < size; ++i) {
      expected[i] = host[i] > 0 ? host[i] : 0.0f;
      expected_gradient[i] = host[i] > 0 ? host_gradient[i] : 0.0f;
    }
    CHECK(out.read() == expected);
    CHECK(d_in.read() == expected_gradient);
    CHECK(same_bits(in.read(), host));

    // In place, and with the output in the input's stead.
    ch14::relu(in.span(), in.span());
    ch14::relu_backward(in.span(), d_out.span(), d_out.span());
    CHECK(in.read() == expected);
    CHECK(d_out.read() == expected_gradient);
  }
}

TEST_CASE("relu lets NaN through and keeps infinities") {
  const GuardedDevice in(std::vector<float>{NAN, kInfinity, -kInfinity}), out(std::size_t{3});
  ch14::relu(in.span(), out.span());
  const auto got = out.read();
  CHECK(std::isnan(got[0]));
  CHECK(got[1] == kInfinity);
  CHECK(got[2] == 0.0f);
}

TEST_CASE("max-pooling and its gradient") {
  struct Shape {
    int n, c, h, w;
  };
  for (const Shape s : {Shape{1, 1, 2, 2},
                        {3, 8, 24, 24},
                        {5, 16, 8, 8},
                        {1, 3, 6, 10},
                        {2, 1, 26, 4},
                        {7, 2, 2, 34}}) {
    CAPTURE(s.h);
    CAPTURE(s.w);
    const TensorView<float> shape{nullptr, s.n, s.c, s.h, s.w};
    const TensorView<float> half{nullptr, s.n, s.c, s.h / 2, s.w / 2};
    std::vector<float> host(static_cast<std::size_t>(shape.size()));
    fill_small_integers(host, 3, 3);  // many equal elements: the first of them counts
    const std::vector<float> host_gradient =
        random_values(static_cast<std::size_t>(half.size()), 4);
    const GuardedDevice in(host), d_out(host_gradient), out(host_gradient.size());
    const GuardedDevice d_in(host.size());
    const auto in_shape = [&](auto* data) {
      return TensorView<std::remove_pointer_t<decltype(data)>>{data, s.n, s.c, s.h, s.w};
    };
    const auto out_shape = [&](auto* data) {
      return TensorView<std::remove_pointer_t<decltype(data)>>{data, s.n, s.c, s.h / 2, s.w / 2};
    };
    ch14::max_pool(in_shape(in.data()), out_shape(out.data()));
    ch14::max_pool_backward(in_shape(in.data()), out_shape(d_out.data()), in_shape(d_in.data()));

    std::vector<float> expected(host_gradient.size()), expected_gradient(host.size(), 0.0f);
    for (int n = 0; n < s.n; ++n)
      for (int c = 0; c < s.c; ++c)
        for (int y = 0; y < s.h / 2; ++y)
          for (int x = 0; x < s.w / 2; ++x) {
            const auto from = in_shape(host.data());
            int best_y = 2 * y, best_x = 2 * x;
            for (int i = 0; i < 2; ++i)
              for (int j = 0; j < 2; ++j)
                if (from(n, c, 2 * y + i, 2 * x + j) > from(n, c, best_y, best_x)) {
                  best_y = 2 * y + i;
                  best_x = 2 * x + j;
                }
            out_shape(expected.data())(n, c, y, x) = from(n, c, best_y, best_x);
            in_shape(expected_gradient.data())(n, c, best_y, best_x) =
                out_shape(host_gradient.data())(n, c, y, x);
          }
    CHECK(out.read() == expected);
    CHECK(d_in.read() == expected_gradient);
    CHECK(same_bits(in.read(), host));
    CHECK(same_bits(d_out.read(), host_gradient));
  }
}

TEST_CASE("the dense layer and its gradients are sums of products") {
  struct Shape {
    int examples, inputs, outputs;
  };
  for (const Shape s : {Shape{1, 1, 1},
                        {32, 256, 10},
                        {1, 256, 10},
                        {7, 256, 10},
                        {3, 5, 2},
                        {9, 130, 17},
                        {64, 33, 1}}) {
    CAPTURE(s.examples);
    CAPTURE(s.inputs);
    CAPTURE(s.outputs);
    const auto size = [](int rows, int cols) { return static_cast<std::size_t>(rows) * cols; };
    const auto host_in = random_values(size(s.examples, s.inputs), 1);
    const auto host_weights = random_values(size(s.outputs, s.inputs), 2);
    const auto host_bias = random_values(size(1, s.outputs), 3);
    const auto host_gradient = random_values(size(s.examples, s.outputs), 4);
    const GuardedDevice in(host_in), weights(host_weights), bias(host_bias), d_out(host_gradient);
    const GuardedDevice out(host_gradient.size()), d_in(host_in.size());
    const GuardedDevice d_weights(host_weights.size()), d_bias(host_bias.size());
    const auto view = [](const GuardedDevice& memory, int rows, int cols) {
      return MatrixView<float>{memory.data(), rows, cols, cols};
    };
    ch14::dense(view(in, s.examples, s.inputs), view(weights, s.outputs, s.inputs), bias.data(),
                view(out, s.examples, s.outputs));
    ch14::dense_backward(view(in, s.examples, s.inputs), view(weights, s.outputs, s.inputs),
                         view(d_out, s.examples, s.outputs), view(d_in, s.examples, s.inputs),
                         view(d_weights, s.outputs, s.inputs), d_bias.data());

    std::vector<Sum> outs(host_gradient.size()), d_ins(host_in.size());
    std::vector<Sum> d_weight_sums(host_weights.size()), d_biases(host_bias.size());
    for (int n = 0; n < s.examples; ++n)
      for (int j = 0; j < s.outputs; ++j) {
        const double gradient = host_gradient[n * s.outputs + j];
        outs[n * s.outputs + j].add(host_bias[j]);
        d_biases[j].add(gradient);
        for (int i = 0; i < s.inputs; ++i) {
          const double x = host_in[n * s.inputs + i], w = host_weights[j * s.inputs + i];
          outs[n * s.outputs + j].add(x * w);
          d_ins[n * s.inputs + i].add(gradient * w);
          d_weight_sums[j * s.inputs + i].add(gradient * x);
        }
      }
    check_sums(out.read(), outs);
    check_sums(d_in.read(), d_ins);
    check_sums(d_weights.read(), d_weight_sums);
    check_sums(d_bias.read(), d_biases);
    CHECK(same_bits(in.read(), host_in));
    CHECK(same_bits(weights.read(), host_weights));
    CHECK(same_bits(d_out.read(), host_gradient));
  }
}

TEST_CASE("softmax with cross-entropy: the loss, and its gradient by central differences") {
  for (const int rows : {1, 2, 31, 33, 64}) {
    for (const int classes : {1, 2, 10}) {
      CAPTURE(rows);
      CAPTURE(classes);
      std::vector<float> host(static_cast<std::size_t>(rows) * classes);
      fill_uniform(host, 5, -6, 6);
      std::vector<std::uint8_t> host_labels(rows);
      for (int n = 0; n < rows; ++n) host_labels[n] = static_cast<std::uint8_t>(n * 7 % classes);
      const GuardedDevice scores(host), losses(static_cast<std::size_t>(rows));
      const GuardedDevice d_scores(host.size());
      const DeviceBuffer<std::uint8_t> labels(host_labels);
      ch14::softmax_cross_entropy({scores.data(), rows, classes, classes},
                                  {labels.data(), labels.size()}, losses.span(),
                                  {d_scores.data(), rows, classes, classes});

      std::vector<double> z(host.begin(), host.end());
      const auto loss = [&](int n) {
        double sum = 0;
        for (int j = 0; j < classes; ++j) sum += std::exp(z[n * classes + j]);
        return std::log(sum) - z[n * classes + host_labels[n]];
      };
      const auto got_losses = losses.read(), got_gradient = d_scores.read();
      for (int n = 0; n < rows; ++n) {
        CHECK(std::abs(got_losses[n] - loss(n)) <= 2e-6 * (1 + std::abs(loss(n))));
        for (int j = 0; j < classes; ++j) {
          const double expected =
              central_difference(z[n * classes + j], [&] { return loss(n); }) / rows;
          CHECK(std::abs(got_gradient[n * classes + j] - expected) <= 1e-6 / rows);
        }
      }
    }
  }
}

TEST_CASE("softmax with cross-entropy neither overflows nor loses a certain answer") {
  const GuardedDevice scores(std::vector<float>{1000, -1000, 0, 500, 500, 500});
  const GuardedDevice losses(std::size_t{2}), d_scores(std::size_t{6});
  const DeviceBuffer<std::uint8_t> labels(std::vector<std::uint8_t>{1, 2});
  ch14::softmax_cross_entropy({scores.data(), 2, 3, 3}, {labels.data(), 2}, losses.span(),
                              {d_scores.data(), 2, 3, 3});
  CHECK(losses.read()[0] == doctest::Approx(2000));
  CHECK(losses.read()[1] == doctest::Approx(std::log(3.0)));
  CHECK(d_scores.read()[0] == doctest::Approx(0.5));
  CHECK(d_scores.read()[1] == doctest::Approx(-0.5));
  CHECK(d_scores.read()[5] == doctest::Approx(-1.0 / 3));
}

TEST_CASE("gradient descent with momentum, two steps") {
  for (const std::size_t size : kSizes) {
    const auto start = random_values(size, 1), first = random_values(size, 2);
    const auto second = random_values(size, 3);
    const GuardedDevice parameters(start), velocity(std::vector<float>(size, 0.0f));
    const GuardedDevice gradient1(first), gradient2(second);
    ch14::sgd_momentum(parameters.span(), velocity.span(), gradient1.span(), 0.1f, 0.9f);
    ch14::sgd_momentum(parameters.span(), velocity.span(), gradient2.span(), 0.05f, 0.9f);
    const auto got = parameters.read(), got_velocity = velocity.read();
    for (std::size_t i = 0; i < size; ++i) {
      const double v = 0.9 * first[i] + second[i];
      CHECK(std::abs(got_velocity[i] - v) <= 1e-6);
      CHECK(std::abs(got[i] - (start[i] - 0.1 * first[i] - 0.05 * v)) <= 1e-6);
    }
    CHECK(same_bits(gradient1.read(), first));
  }
}

TEST_CASE("the layers name the shapes that do not fit") {
  const GuardedDevice memory(std::size_t{1024});
  float* data = memory.data();
  CHECK(contains(error_of([&] {
                   ch14::relu({data, 3}, {data, 4});
                 }),
                 "the input has 3 elements, the output has 4"));
  CHECK(contains(error_of([&] { ch14::relu({data, 0}, {data, 0}); }), "0 elements"));
  CHECK(contains(error_of([&] {
                   ch14::max_pool({data, 1, 1, 4, 4}, {data, 1, 1, 2, 3});
                 }),
                 "the pooled tensor is (1, 1, 2, 3); expected (1, 1, 2, 2)"));
  CHECK(contains(error_of([&] {
                   ch14::max_pool({data, 1, 1, 1, 4}, {data, 1, 1, 1, 2});
                 }),
                 "the input is (1, 1, 1, 4); expected at least 2 rows and 2 columns"));
  CHECK(contains(
      error_of([&] {
        ch14::dense({data, 2, 3, 3}, {data, 4, 5, 5}, data, {data, 2, 4, 4});
      }),
      "the input is 2x3, the weights are 4x5, the output is 2x4; expected (N, I), (J, I)"));
  CHECK(contains(error_of([&] {
                   ch14::dense({data, 2, 3, 4}, {data, 4, 3, 3}, data, {data, 2, 4, 4});
                 }),
                 "gaps"));
  const DeviceBuffer<std::uint8_t> labels(3);
  CHECK(contains(error_of([&] {
                   ch14::softmax_cross_entropy({data, 2, 3, 3}, {labels.data(), 3}, {data, 2},
                                               {data, 2, 3, 3});
                 }),
                 "the labels has 3 elements"));
  CHECK(contains(error_of([&] {
                   ch14::sgd_momentum({data, 2}, {data, 3}, {data, 2}, 0.1f, 0.9f);
                 }),
                 "the parameters has 2 elements, the velocity has 3"));
}
