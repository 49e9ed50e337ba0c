#include "13_convolution/convolution_1d.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace tut::ch13 {

TEST_CASE("the lesson's neuron, and the same by central differences") {
  const NeuronGradient g = neuron(0.5, 0.1, 2, 2);
  CHECK(g.loss == doctest::Approx(0.81));
  CHECK(g.d_w == doctest::Approx(-3.6));
  CHECK(g.d_b == doctest::Approx(-1.8));
  CHECK(g.d_x == doctest::Approx(-0.9));
  const auto loss = [](const Vector& v) { return neuron(v[0], v[1], v[2], 2).loss; };
  const Vector at{0.5, 0.1, 2};
  CHECK(central_difference(loss, at, 0, 1e-3) == doctest::Approx(g.d_w));
  CHECK(central_difference(loss, at, 1, 1e-3) == doctest::Approx(g.d_b));
  CHECK(central_difference(loss, at, 2, 1e-3) == doctest::Approx(g.d_x));
  CHECK(loss({0.501, 0.1, 2}) == doctest::Approx(0.806404));
  CHECK(loss({0.499, 0.1, 2}) == doctest::Approx(0.813604));
  CHECK(loss({0.86, 0.1, 2}) == doctest::Approx(0.0324));  // after a step of 0.1
}

TEST_CASE("a neuron that ReLU has switched off has no gradient") {
  const NeuronGradient g = neuron(-1, 0.1, 2, 2);
  CHECK(g.loss == 4);
  CHECK(g.d_w == 0);
  CHECK(g.d_x == 0);
}

TEST_CASE("the lesson's convolution") {
  const Vector x{1, 3, 2, 5}, w{2, -1}, d_out{1, -2, 3};
  CHECK(convolve(x, w) == Vector{-1, 4, -1});
  CHECK(gradient_of_filter(x, d_out) == Vector{1, 14});
  CHECK(gradient_of_input(w, d_out) == Vector{2, -5, 8, -3});
}

TEST_CASE("both gradients of a convolution agree with central differences") {
  //! [use]
  const Vector x{0.3, -1.2, 0.8, 2.1, -0.4, 0.9}, w{0.7, -0.2, 1.1}, target{1, 0, -1, 2};
  // The loss: the sum of (out - target)^2 over the output's elements.
  const auto loss = [&](const Vector& input, const Vector& filter) {
    const Vector out = convolve(input, filter);
    double sum = 0;
    for (std::size_t y = 0; y < out.size(); ++y) sum += std::pow(out[y] - target[y], 2);
    return sum;
  };
  Vector d_out = convolve(x, w);
  for (std::size_t y = 0; y < d_out.size(); ++y) d_out[y] = 2 * (d_out[y] - target[y]);

  const Vector d_w = gradient_of_filter(x, d_out), d_x = gradient_of_input(w, d_out);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto of_filter = [&](const Vector& filter) { return loss(x, filter); };
    CHECK(std::abs(central_difference(of_filter, w, i, 1e-5) - d_w[i]) < 1e-8);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto of_input = [&](const Vector& input) { return loss(input, w); };
    CHECK(std::abs(central_difference(of_input, x, i, 1e-5) - d_x[i]) < 1e-8);
  }
  //! [use]
}

TEST_CASE("a wrong gradient does not agree") {
  const Vector x{0.3, -1.2, 0.8, 2.1}, w{0.7, -0.2}, ones{1, 1, 1};
  const auto sum_of_output = [&](const Vector& filter) {
    double sum = 0;
    for (const double value : convolve(x, filter)) sum += value;
    return sum;
  };
  const double measured = central_difference(sum_of_output, w, 0, 1e-5);
  CHECK(std::abs(measured - gradient_of_filter(x, ones)[0]) < 1e-8);
  CHECK(std::abs(measured - gradient_of_filter(x, ones)[1]) > 0.1);
}

}  // namespace tut::ch13
