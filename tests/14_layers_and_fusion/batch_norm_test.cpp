#include "14_layers_and_fusion/batch_norm.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "guarded_vector.hpp"

namespace tut::ch14::test {
namespace {

struct Shape {
  int n, c, h, w;
  std::size_t size() const { return static_cast<std::size_t>(n) * c * h * w; }
  std::size_t channels() const { return static_cast<std::size_t>(c); }
  int channel(std::size_t i) const { return static_cast<int>(i / (h * w)) % c; }
  double count() const { return static_cast<double>(n) * h * w; }
};

const std::vector<Shape> kShapes{{2, 3, 5, 7},   {1, 1, 1, 2},   {32, 8, 6, 6},
                                 {64, 10, 1, 1}, {3, 17, 1, 31}, {2, 1, 40, 1}};

struct Reference {
  std::vector<double> mean, variance, out;

  Reference(const Shape& s, const std::vector<double>& in, const std::vector<double>& scale,
            const std::vector<double>& shift)
      : mean(s.channels()), variance(s.channels()) {
    for (std::size_t i = 0; i < in.size(); ++i) mean[s.channel(i)] += in[i] / s.count();
    for (std::size_t i = 0; i < in.size(); ++i) {
      const int c = s.channel(i);
      variance[c] += (in[i] - mean[c]) * (in[i] - mean[c]) / s.count();
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      const int c = s.channel(i);
      out.push_back(scale[c] * (in[i] - mean[c]) / std::sqrt(variance[c] + double{1e-5f}) +
                    shift[c]);
    }
  }
};

// One layer on the device.
struct Layer {
  Shape shape;
  std::vector<float> host_in, host_scale, host_shift, host_gradient;
  GuardedVector<float> in, scale, shift, d_out, out, d_in, d_scale, d_shift;
  GuardedVector<float> running_mean, running_variance, mean, inverse_deviation;

  explicit Layer(const Shape& s, float offset = 0)
      : shape(s),
        host_in(random_vector<float>(s.size(), 1, offset - 1, offset + 1)),
        host_scale(random_vector<float>(s.channels(), 2, 0.5f, 2)),
        host_shift(random_vector<float>(s.channels(), 3)),
        host_gradient(random_vector<float>(s.size(), 4)),
        in(host_in),
        scale(host_scale),
        shift(host_shift),
        d_out(host_gradient),
        out(s.size()),
        d_in(s.size()),
        d_scale(s.channels()),
        d_shift(s.channels()),
        running_mean(std::vector<float>(s.channels(), 0.5f)),
        running_variance(std::vector<float>(s.channels(), 2.0f)),
        mean(s.channels()),
        inverse_deviation(s.channels()) {}

  BatchNormState state() const {
    return {running_mean.data(), running_variance.data(), mean.data(), inverse_deviation.data()};
  }
  TensorView<float> view(const GuardedVector<float>& memory) const {
    return memory.tensor(shape.n, shape.c, shape.h, shape.w);
  }
  void forward() const { batch_norm(view(in), scale.data(), shift.data(), state(), view(out)); }
  void backward() const {
    batch_norm_backward(view(in), view(d_out), scale.data(), state(), view(d_in), d_scale.data(),
                        d_shift.data());
  }
  Reference reference() const {
    return {shape, in_double(host_in), in_double(host_scale), in_double(host_shift)};
  }
};

}  // namespace

TEST_CASE("batch norm normalises by the batch, and keeps running statistics") {
  for (const Shape& s : kShapes) {
    CAPTURE(s.n);
    CAPTURE(s.c);
    const Layer layer(s);
    layer.forward();
    const Reference expected = layer.reference();
    check_near(layer.out.read_double(), expected.out, 1e-5, 2e-5);
    check_near(layer.mean.read_double(), expected.mean, 1e-6, 1e-7);
    std::vector<double> running_mean, running_variance;
    for (std::size_t c = 0; c < s.channels(); ++c) {
      const double unbiased = expected.variance[c] * s.count() / (s.count() - 1);
      running_mean.push_back(0.9 * 0.5 + 0.1 * expected.mean[c]);
      running_variance.push_back(0.9 * 2.0 + 0.1 * unbiased);
    }
    check_near(layer.running_mean.read_double(), running_mean, 1e-6, 1e-7);
    check_near(layer.running_variance.read_double(), running_variance, 1e-5, 0);
    CHECK(same_bytes(layer.in.read(), layer.host_in));

    // Inference uses what the training has left, in place if need be.
    batch_norm_inference(layer.view(layer.in), layer.scale.data(), layer.shift.data(),
                         layer.state(), layer.view(layer.in));
    std::vector<double> inferred;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const int c = s.channel(i);
      inferred.push_back(layer.host_scale[c] * (layer.host_in[i] - running_mean[c]) /
                             std::sqrt(running_variance[c] + 1e-5) +
                         layer.host_shift[c]);
    }
    check_near(layer.in.read_double(), inferred, 1e-5, 1e-5);
  }
}

TEST_CASE("batch norm's gradients agree with central differences") {
  for (const Shape& s : {Shape{2, 3, 3, 4}, {7, 2, 1, 1}, {1, 1, 1, 5}}) {
    CAPTURE(s.n);
    const Layer layer(s);
    layer.forward();
    layer.backward();
    std::vector<double> x = in_double(layer.host_in), scale = in_double(layer.host_scale);
    std::vector<double> shift = in_double(layer.host_shift);
    const std::vector<double> g = in_double(layer.host_gradient);
    const auto loss = [&] { return dot(g, Reference(s, x, scale, shift).out); };
    check_near(layer.d_in.read_double(), central_differences(x, loss), 1e-4, 2e-5);
    check_near(layer.d_scale.read_double(), central_differences(scale, loss), 1e-4, 1e-5);
    check_near(layer.d_shift.read_double(), central_differences(shift, loss), 1e-4, 1e-5);
  }
}

TEST_CASE("a mean far from 0 costs the variance no digits") {
  const Layer layer({8, 2, 9, 9}, 1000);
  layer.forward();
  // The mean of FP32 sums is right to some 1e-4 here; by squares the variance would be lost whole.
  check_near(layer.out.read_double(), layer.reference().out, 1e-3, 2e-3);
}

TEST_CASE("batch norm runs the same twice" * doctest::test_suite("unwatched")) {
  std::vector<std::vector<float>> outs, gradients, scales;
  for (int run = 0; run < 2; ++run) {
    const Layer layer({32, 8, 6, 6});
    layer.forward();
    layer.backward();
    outs.push_back(layer.out.read());
    gradients.push_back(layer.d_in.read());
    scales.push_back(layer.d_scale.read());
  }
  CHECK(same_bytes(outs[0], outs[1]));
  CHECK(same_bytes(gradients[0], gradients[1]));
  CHECK(same_bytes(scales[0], scales[1]));
}

TEST_CASE("batch norm refuses what does not fit") {
  const Layer layer({1, 2, 1, 1});
  CHECK_THROWS_AS(layer.forward(), std::invalid_argument);  // one value has no variance
  CHECK_THROWS_AS(batch_norm(layer.view(layer.in), nullptr, layer.shift.data(), layer.state(),
                             layer.view(layer.out)),
                  std::invalid_argument);
}

}  // namespace tut::ch14::test
