#include "14_layers_and_fusion/bias_leaky_relu.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "tut/budget.hpp"
#include "tut/device_buffer.hpp"
#include "vector_image.hpp"

namespace tut::ch14 {
namespace {

struct Shape {
  int n, c, h, w;
  std::size_t size() const { return std::size_t{1} * n * c * h * w; }
  TensorView<float> view(float* data) const { return {data, n, c, h, w}; }
};

Outcome run(const Shape& s, const std::string& text, float slope, Guarded<float>& in,
            Guarded<float>& bias, Guarded<float>& out) {
  return run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<float> x, MatrixView<float> b, MatrixView<float> y) {
        bias_leaky_relu(s.view(x.data), b.data, slope, s.view(y.data), stream);
      },
      in, bias, out);
}

Outcome values_outcome(const Shape& s, float slope) {
  Guarded<float> in = vector_image(uniform_values(s.size(), 1)),
                 bias = vector_image(uniform_values(std::size_t{1} * s.c, 2)),
                 out = result_image<float>(s.size());
  const Guarded<float> in_before = in, bias_before = bias, out_before = out;
  const std::string text = shape_text(s.view(nullptr));
  if (Outcome outcome = run(s, text, slope, in, bias, out); !outcome.ok) return outcome;
  std::vector<double> expected;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const int channel = static_cast<int>(i / (std::size_t{1} * s.h * s.w)) % s.c;
    const double value = double{in_before.cview().data[i]} + bias_before.cview().data[channel];
    expected.push_back(value > 0 ? value : slope * value);
  }
  return first_failure({near_outcome(out_before, out, expected, 1e-6, 1e-7, "out", text),
                        nothing_changed(in_before, in, "in", text, true),
                        nothing_changed(bias_before, bias, "bias", text, true)});
}

}  // namespace

TEST_CASE("bias_leaky_relu adds the channel's bias and bends what is negative") {
  for (const Shape& s : {Shape{2, 3, 5, 7},
                         {1, 1, 1, 1},
                         {3, 8, 4, 8},
                         {1, 17, 31, 1},
                         {9, 1, 3, 11},
                         {2, 5, 33, 1},
                         {4, 2, 1, 1}}) {
    for (const float slope : {0.01f, 0.25f}) expect(values_outcome(s, slope));
  }
}

TEST_CASE("bias_leaky_relu in place, and with what is no number") {
  const Shape s{1, 2, 1, 3};
  const float infinity = std::numeric_limits<float>::infinity();
  const DeviceBuffer<float> x(std::vector<float>{NAN, infinity, -infinity, 1, -1, 0}),
      bias(std::vector<float>{0, 0});
  bias_leaky_relu(s.view(x.data()), bias.data(), 0.5f, s.view(x.data()));
  const std::vector<float> got = x.to_host();
  CHECK(std::isnan(got[0]));
  CHECK(got[1] == infinity);
  CHECK(got[2] == -infinity);
  CHECK(got[3] == 1.0f);
  CHECK(got[4] == -0.5f);
  CHECK(got[5] == 0.0f);
}

TEST_CASE("bias_leaky_relu refuses shapes that do not fit") {
  const DeviceBuffer<float> memory(12);
  float* data = memory.data();
  CHECK_THROWS_AS(bias_leaky_relu({data, 1, 2, 2, 3}, data, 0.1f, {data, 1, 2, 3, 2}),
                  std::invalid_argument);
  CHECK_THROWS_AS(bias_leaky_relu({data, 1, 2, 2, 3}, nullptr, 0.1f, {data, 1, 2, 2, 3}),
                  std::invalid_argument);
}

TEST_CASE("budget") {
  const Shape s{2, 8, 24, 24};
  const DeviceBuffer<float> in(uniform_values(s.size(), 1)), bias(uniform_values(8, 2));
  const DeviceBuffer<float> out(s.size());
  expect_budget("bias_leaky_relu", 8.0 * static_cast<double>(s.size()) + 4.0 * s.n * s.c,
                [&] { bias_leaky_relu(s.view(in.data()), bias.data(), 0.1f, s.view(out.data())); });
}

}  // namespace tut::ch14
