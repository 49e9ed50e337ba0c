#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "13_convolution/conv2d.hpp"
#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "guarded_device.hpp"
#include "tut/stream.hpp"

namespace {

using namespace tut;
using namespace tut::test;

// The sizes of one convolution: n images of c channels, k filters of f x f.
struct Shape {
  int n, c, h, w, k, f;

  int out_h() const { return h - f + 1; }
  int out_w() const { return w - f + 1; }
  template <class T>
  TensorView<T> in(T* data) const {
    return {data, n, c, h, w};
  }
  template <class T>
  TensorView<T> weights(T* data) const {
    return {data, k, c, f, f};
  }
  template <class T>
  TensorView<T> out(T* data) const {
    return {data, n, k, out_h(), out_w()};
  }
  std::size_t in_size() const { return static_cast<std::size_t>(n) * c * h * w; }
  std::size_t weights_size() const { return static_cast<std::size_t>(k) * c * f * f; }
  std::size_t out_size() const { return static_cast<std::size_t>(n) * k * out_h() * out_w(); }
};

// The network's own layers, ragged and single-image batches, tiles of one row, primes, both sides
// of every choice that a launcher makes.
const std::vector<Shape> kShapes{
    {5, 1, 28, 28, 8, 5},  {4, 8, 12, 12, 16, 5}, {1, 8, 12, 12, 16, 5}, {7, 8, 12, 12, 16, 5},
    {1, 1, 5, 5, 1, 5},    {2, 3, 7, 6, 3, 3},    {3, 2, 9, 11, 4, 5},   {6, 5, 13, 8, 8, 3},
    {2, 16, 16, 16, 8, 5}, {1, 4, 5, 30, 2, 5},   {9, 1, 3, 3, 12, 3},   {3, 16, 16, 16, 16, 5},
    {2, 8, 12, 12, 8, 5},  {3, 2, 6, 5, 3, 2},    {2, 3, 4, 4, 5, 1}};

// Every product that the definition of conv2d adds up: visit(n, k, y, x, c, i, j).
template <class Visit>
void for_each_product(const Shape& s, const Visit& visit) {
  for (int n = 0; n < s.n; ++n)
    for (int k = 0; k < s.k; ++k)
      for (int y = 0; y < s.out_h(); ++y)
        for (int x = 0; x < s.out_w(); ++x)
          for (int c = 0; c < s.c; ++c)
            for (int i = 0; i < s.f; ++i)
              for (int j = 0; j < s.f; ++j) visit(n, k, y, x, c, i, j);
}

struct Inputs {
  explicit Inputs(const Shape& s)
      : in(random_values(s.in_size(), 1)),
        weights(random_values(s.weights_size(), 2)),
        bias(random_values(static_cast<std::size_t>(s.k), 3)),
        d_out(random_values(s.out_size(), 4)) {}
  std::vector<float> in, weights, bias, d_out;
};

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

}  // namespace

TEST_CASE("conv2d computes its definition") {
  for (const Shape& s : kShapes) {
    CAPTURE(shape_text(s.in<float>(nullptr)));
    CAPTURE(shape_text(s.weights<float>(nullptr)));
    const Inputs host(s);
    const GuardedDevice in(host.in), weights(host.weights), bias(host.bias), out(s.out_size());
    ch13::conv2d(s.in<const float>(in.data()), s.weights<const float>(weights.data()), bias.data(),
                 s.out(out.data()));

    std::vector<Sum> expected(s.out_size());
    const auto sums = s.out(expected.data());
    for (int n = 0; n < s.n; ++n)
      for (int k = 0; k < s.k; ++k)
        for (int y = 0; y < s.out_h(); ++y)
          for (int x = 0; x < s.out_w(); ++x) sums(n, k, y, x).add(host.bias[k]);
    for_each_product(s, [&](int n, int k, int y, int x, int c, int i, int j) {
      sums(n, k, y, x)
          .add(double{s.in(host.in.data())(n, c, y + i, x + j)} *
               s.weights(host.weights.data())(k, c, i, j));
    });
    check_sums(out.read(), expected);
    CHECK(same_bits(in.read(), host.in));
    CHECK(same_bits(weights.read(), host.weights));
    CHECK(same_bits(bias.read(), host.bias));
  }
}

TEST_CASE("conv2d's gradients are the derivatives of its definition") {
  for (const Shape& s : kShapes) {
    CAPTURE(shape_text(s.in<float>(nullptr)));
    CAPTURE(shape_text(s.weights<float>(nullptr)));
    const Inputs host(s);
    const GuardedDevice in(host.in), weights(host.weights), d_out(host.d_out);
    const GuardedDevice d_in(s.in_size()), d_weights(s.weights_size());
    const GuardedDevice d_bias(static_cast<std::size_t>(s.k));
    const auto weights_view = s.weights<const float>(weights.data());
    const auto d_out_view = s.out<const float>(d_out.data());
    const GuardedDevice scratch1(ch13::conv2d_backward_input_scratch(d_out_view, weights_view));
    const GuardedDevice scratch2(ch13::conv2d_backward_weights_scratch(d_out_view, weights_view));
    ch13::conv2d_backward_input(d_out_view, weights_view, s.in(d_in.data()), scratch1.span());
    ch13::conv2d_backward_weights(s.in<const float>(in.data()), d_out_view,
                                  s.weights(d_weights.data()), d_bias.data(), scratch2.span());

    std::vector<Sum> in_sums(s.in_size()), weight_sums(s.weights_size()),
        bias_sums(host.bias.size());
    for_each_product(s, [&](int n, int k, int y, int x, int c, int i, int j) {
      const double gradient = s.out(host.d_out.data())(n, k, y, x);
      s.in(in_sums.data())(n, c, y + i, x + j)
          .add(gradient * s.weights(host.weights.data())(k, c, i, j));
      s.weights(weight_sums.data())(k, c, i, j)
          .add(gradient * s.in(host.in.data())(n, c, y + i, x + j));
      if (c == 0 && i == 0 && j == 0) bias_sums[k].add(gradient);
    });
    check_sums(d_in.read(), in_sums);
    check_sums(d_weights.read(), weight_sums);
    check_sums(d_bias.read(), bias_sums);
    scratch1.read();
    scratch2.read();
    CHECK(same_bits(in.read(), host.in));
    CHECK(same_bits(weights.read(), host.weights));
    CHECK(same_bits(d_out.read(), host.d_out));
  }
}

TEST_CASE("conv2d's gradients agree with central differences in double") {
  // The loss is the sum of r * out for random r, so that r is the gradient of the output.
  const Shape s{2, 3, 8, 9, 4, 5};
  const Inputs host(s);
  std::vector<double> in(host.in.begin(), host.in.end());
  std::vector<double> weights(host.weights.begin(), host.weights.end());
  const auto loss = [&] {
    double sum = 0;
    for_each_product(s, [&](int n, int k, int y, int x, int c, int i, int j) {
      sum += s.out(host.d_out.data())(n, k, y, x) * s.in(in.data())(n, c, y + i, x + j) *
             s.weights(weights.data())(k, c, i, j);
    });
    return sum;
  };
  const auto derivative = [&](double& variable) {
    constexpr double step = 1e-3;
    const double at = variable;
    variable = at + step;
    const double above = loss();
    variable = at - step;
    const double below = loss();
    variable = at;
    return (above - below) / (2 * step);
  };

  const GuardedDevice d_in_in(host.in), weights_in(host.weights), d_out(host.d_out);
  const GuardedDevice d_in(s.in_size()), d_weights(s.weights_size()), d_bias(host.bias.size());
  const auto d_out_view = s.out<const float>(d_out.data());
  const auto weights_view = s.weights<const float>(weights_in.data());
  const GuardedDevice scratch1(ch13::conv2d_backward_input_scratch(d_out_view, weights_view));
  const GuardedDevice scratch2(ch13::conv2d_backward_weights_scratch(d_out_view, weights_view));
  ch13::conv2d_backward_input(d_out_view, weights_view, s.in(d_in.data()), scratch1.span());
  ch13::conv2d_backward_weights(s.in<const float>(d_in_in.data()), d_out_view,
                                s.weights(d_weights.data()), d_bias.data(), scratch2.span());
  const auto got_in = d_in.read(), got_weights = d_weights.read();
  for (std::size_t i = 0; i < in.size(); i += 7) {
    CAPTURE(i);
    CHECK(std::abs(got_in[i] - derivative(in[i])) <= 1e-5);
  }
  for (std::size_t i = 0; i < weights.size(); i += 5) {
    CAPTURE(i);
    CHECK(std::abs(got_weights[i] - derivative(weights[i])) <= 1e-5);
  }
}

TEST_CASE("the convolution's results are the same to the bit in every run and on any stream") {
  const Shape s{7, 8, 12, 12, 16, 5};
  const Inputs host(s);
  const GuardedDevice in(host.in), weights(host.weights), bias(host.bias), d_out(host.d_out);
  const auto weights_view = s.weights<const float>(weights.data());
  const auto d_out_view = s.out<const float>(d_out.data());
  const Stream own;
  std::vector<std::vector<float>> runs;
  for (const cudaStream_t stream : {cudaStream_t{}, cudaStream_t{}, own.get()}) {
    const GuardedDevice out(s.out_size()), d_in(s.in_size()), d_weights(s.weights_size());
    const GuardedDevice d_bias(host.bias.size());
    const GuardedDevice scratch1(ch13::conv2d_backward_input_scratch(d_out_view, weights_view));
    const GuardedDevice scratch2(ch13::conv2d_backward_weights_scratch(d_out_view, weights_view));
    ch13::conv2d(s.in<const float>(in.data()), weights_view, bias.data(), s.out(out.data()),
                 stream);
    ch13::conv2d_backward_input(d_out_view, weights_view, s.in(d_in.data()), scratch1.span(),
                                stream);
    ch13::conv2d_backward_weights(s.in<const float>(in.data()), d_out_view,
                                  s.weights(d_weights.data()), d_bias.data(), scratch2.span(),
                                  stream);
    check(cudaStreamSynchronize(stream));
    std::vector<float> all = out.read();
    for (const GuardedDevice* part : {&d_in, &d_weights, &d_bias}) {
      const std::vector<float> values = part->read();
      all.insert(all.end(), values.begin(), values.end());
    }
    runs.push_back(std::move(all));
  }
  CHECK(same_bits(runs[0], runs[1]));
  CHECK(same_bits(runs[0], runs[2]));
}

TEST_CASE("the convolution names the shapes that do not fit") {
  const GuardedDevice memory(std::size_t{4096});
  float* data = memory.data();
  const TensorView<const float> in{data, 2, 3, 8, 8}, weights{data, 4, 3, 5, 5};
  const TensorView<float> out{data, 2, 4, 4, 4};
  const auto error = [&](TensorView<const float> a, TensorView<const float> b,
                         TensorView<float> c) {
    return error_of([&] { ch13::conv2d(a, b, data, c); });
  };
  CHECK(contains(error(in, {data, 4, 2, 5, 5}, out),
                 "the weights is (4, 2, 5, 5); expected (4, 3, 5, 5)"));
  CHECK(contains(error(in, weights, {data, 2, 4, 5, 4}),
                 "the output is (2, 4, 5, 4); expected (2, 4, 4, 4)"));
  CHECK(contains(error(in, {data, 4, 3, 4, 5}, {data, 2, 4, 5, 4}), "square filters"));
  CHECK(contains(error({data, 0, 3, 8, 8}, weights, {data, 0, 4, 4, 4}), "empty dimension"));
  CHECK(contains(error({data, 2, 3, 3, 3}, weights, {data, 2, 4, -1, -1}), "the output is"));
  CHECK(contains(error({nullptr, 2, 3, 8, 8}, weights, out), "no data"));
  CHECK(contains(error_of([&] { ch13::conv2d(in, weights, nullptr, out); }), "the bias"));
  CHECK(contains(error_of([&] {
                   ch13::conv2d_backward_input(out, weights, {data, 2, 3, 8, 8}, {data, 10});
                 }),
                 "the scratch memory holds 10 floats; expected"));
  CHECK(contains(error_of([&] {
                   ch13::conv2d_backward_weights(in, out, {data, 4, 3, 5, 5}, data, {data, 10});
                 }),
                 "the scratch memory holds 10 floats; expected"));
}
