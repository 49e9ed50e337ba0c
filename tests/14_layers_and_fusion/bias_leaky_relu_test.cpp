#include "14_layers_and_fusion/bias_leaky_relu.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <string>

#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/far_ends.hpp"
#include "tut/trial/grid_reach.hpp"
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

std::vector<double> expected_of(const Shape& s, const Guarded<float>& in,
                                const Guarded<float>& bias, float slope) {
  std::vector<double> expected;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const int channel = static_cast<int>(i / (std::size_t{1} * s.h * s.w)) % s.c;
    const double value = double{in.cview().data[i]} + bias.cview().data[channel];
    expected.push_back(value > 0 ? value : slope * value);
  }
  return expected;
}

Outcome values_outcome(const Shape& s, float slope, const std::vector<float>& values,
                       const std::vector<float>& biases, std::size_t shift = 0) {
  Guarded<float> in = vector_image(values, shift), bias = vector_image(biases, shift),
                 out = result_image<float>(s.size(), shift);
  const Guarded<float> in_before = in, bias_before = bias, out_before = out;
  const std::string text = shape_text(s.view(nullptr)) + ", slope " + number_text(slope) + ", " +
                           std::to_string(4 * shift) + " bytes off an aligned place";
  if (Outcome outcome = run(s, text, slope, in, bias, out); !outcome.ok) return outcome;
  return first_failure({near_outcome(out_before, out, expected_of(s, in_before, bias_before, slope),
                                     1e-6, 0x1p-149, "out", text, s.n * s.c),
                        nothing_changed(in_before, in, "in", text, true),
                        nothing_changed(bias_before, bias, "bias", text, true)});
}

Outcome values_outcome(const Shape& s, float slope, std::size_t shift = 0) {
  return values_outcome(s, slope, uniform_values(s.size(), 1),
                        uniform_values(std::size_t{1} * s.c, 2), shift);
}

// In place: `in` is the output, too.
Outcome in_place_outcome(const Shape& s, const std::vector<float>& values, float slope) {
  Guarded<float> x = vector_image(values),
                 bias = vector_image(std::vector<float>(static_cast<std::size_t>(s.c), 0.0f));
  const Guarded<float> before = x;
  const std::string text = std::to_string(s.n * s.c) + " planes of " + std::to_string(s.h) + "x" +
                           std::to_string(s.w) + ", in place, slope " + number_text(slope);
  const Outcome outcome = run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<float> xv, MatrixView<float> b) {
        bias_leaky_relu(s.view(xv.data), b.data, slope, s.view(xv.data), stream);
      },
      x, bias);
  if (!outcome.ok) return outcome;
  return first_failure(
      {special_outcome(x, expected_of(s, before, bias, slope), "out", text, s.n * s.c),
       only_inside_changed(before, x, "out", text, true)});
}

/// As many channels as planes, of more than 2^32 elements together, all of them 0 but the last. The
/// tensor grows from `less` to `most`.
Outcome far_outcome(const std::function<Shape(int)>& shape_of, int less, int most) {
  const Shape whole = shape_of(most);
  const std::size_t size = whole.size(), last_place = size - 1;
  const std::size_t wrapped_place =
      last_place - (std::size_t{1} << 32);  // where 32 bits put the last
  const auto channels = static_cast<std::size_t>(whole.c);
  const LongBuffer<float> in(size), bias(channels), out(size);
  if (simt_run_ends != nullptr) {
    set_element(in.data(), last_place, 2.0f);
    set_element(bias.data(), 0, 1.0f);
    set_element(bias.data(), channels - 1, 3.0f);
  }
  const std::string text = "as many as " + std::to_string(whole.c) + " planes of " +
                           std::to_string(whole.h) + "x" + std::to_string(whole.w) +
                           ", of which only the ends are run";
  return far_ends_outcome(
      text,
      [&](cudaStream_t stream, int n) {
        const Shape s = shape_of(n);
        bias_leaky_relu(s.view(in.data()), bias.data(), 0.25f, s.view(out.data()), stream);
      },
      less, most,
      [&](bool goes_round) -> Outcome {
        const float first = element_at(out.data(), 0), last = element_at(out.data(), last_place),
                    wrapped = element_at(out.data(), wrapped_place);
        const bool last_is_right = last == 5.0f || (goes_round && last == 0.0f);
        if (first == 1.0f && last_is_right && wrapped == 0.0f) return {};
        return failure("values", "out has " + value_text(first) + " at its first place, " +
                                     value_text(last) + " at its last and " + value_text(wrapped) +
                                     " 2^32 before that; expected 1, 5 and 0 (" + text +
                                     "): are offsets computed in 64 bits?");
      });
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
  // More than is left below 0, nothing, and something that is above 0.
  for (const float slope : {1.5f, 0.0f, -0.5f}) expect(values_outcome({2, 3, 5, 7}, slope));
}

TEST_CASE("bias_leaky_relu wherever its floats begin") {
  for (const std::size_t shift : {1, 2, 3}) expect(values_outcome({2, 3, 4, 8}, 0.25f, shift));
}

TEST_CASE("bias_leaky_relu where an element and the bias almost cancel") {
  const Shape s{2, 3, 5, 7};
  const std::vector<float> biases = uniform_values(3, 2);
  std::vector<float> values;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const float bias = biases[i / 35 % 3];
    values.push_back(-bias * (1 + 0x1p-23f * static_cast<float>(i % 35)));
  }
  for (const float slope : {0.1f, 1.5f}) expect(values_outcome(s, slope, values, biases));
}

TEST_CASE("bias_leaky_relu in place, and with NaN and infinity, huge or tiny") {
  const std::vector<float> values{NOT_A_NUMBER, INF,    -INF,   1,      -1, 0,
                                  1e30f,        -1e30f, 1e-40f, -1e-40f};
  for (const float slope : {0.5f, 0.01f, 0.0f, 1.5f, -0.5f}) {
    expect(in_place_outcome({1, 2, 1, 5}, values, slope));
    for (const Shape& s : {Shape{2, 3, 5, 7}, {1, 1, 5, 8}, {1, 2, 33, 65}}) {
      expect(in_place_outcome(s, uniform_values(s.size(), 1), slope));
    }
  }
}

TEST_CASE("bias_leaky_relu with many planes, long ones, infinities and NaN among others") {
  for (const Shape& s : {Shape{3, 40, 3, 37}, {2, 35001, 1, 1}, {1, 2, 3, 50001}}) {
    const std::vector<float> values = mixed_values(s.size(), 1);
    expect(values_outcome(s, 0.25f, values, uniform_values(std::size_t{1} * s.c, 2)));
  }
  // Biases, too.
  const Shape s{3, 40, 3, 37};
  expect(
      values_outcome(s, 0.25f, uniform_values(s.size(), 1), mixed_values(std::size_t{1} * s.c, 2)));
}

TEST_CASE("bias_leaky_relu refuses shapes that do not fit") {
  const DeviceBuffer<float> memory(72);
  float* data = memory.data();
  const Shape shape{2, 3, 2, 4};
  // As many elements in another shape, and one more or one less of each size.
  for (const Shape& other : {Shape{3, 2, 2, 4},
                             {2, 2, 3, 4},
                             {2, 3, 4, 2},
                             {1, 3, 2, 4},
                             {3, 3, 2, 4},
                             {2, 2, 2, 4},
                             {2, 4, 2, 4},
                             {2, 3, 1, 4},
                             {2, 3, 3, 4},
                             {2, 3, 2, 3},
                             {2, 3, 2, 5}}) {
    const std::string text = shape_text(other.view(nullptr));
    INFO(text);
    CHECK_THROWS_AS(bias_leaky_relu(shape.view(data), data, 0.1f, other.view(data)),
                    std::invalid_argument);
  }
  for (const Shape& empty : {Shape{0, 3, 2, 4}, {2, 0, 2, 4}, {2, 3, 0, 4}, {2, 3, 2, 0}}) {
    const std::string text = shape_text(empty.view(nullptr));
    INFO(text);
    CHECK_THROWS_AS(bias_leaky_relu(empty.view(data), data, 0.1f, empty.view(data)),
                    std::invalid_argument);
  }
  CHECK_THROWS_AS(bias_leaky_relu(shape.view(data), nullptr, 0.1f, shape.view(data)),
                  std::invalid_argument);
}

TEST_CASE("bias_leaky_relu of as many planes as there may be, or planes of as many elements") {
  const LongBuffer<float> in, bias, out;
  const auto reach = [&](const std::function<Shape(int)>& shape_of, int tried) {
    return grid_reach_outcome(
        [&](cudaStream_t stream, int n) {
          const Shape s = shape_of(n);
          bias_leaky_relu(s.view(in.data()), bias.data(), 0.25f, s.view(out.data()), stream);
        },
        [&](int n) { return values_outcome(shape_of(n), 0.25f); }, tried,
        MarkedParts("out", out.data(), kLongSize));
  };
  expect(reach([](int n) { return Shape{n, 1, 1, 1}; }, 70002));
  expect(reach([](int n) { return Shape{1, n, 1, 1}; }, 70002));
  expect(reach([](int n) { return Shape{1, 1, n, 1}; }, 150003));
  expect(reach([](int n) { return Shape{1, 1, 1, n}; }, 150003));
}

TEST_CASE("bias_leaky_relu of more elements than 32 bits count") {
  for (const int area : {120, 121}) {
    expect(far_outcome([=](int n) { return Shape{1, n, 1, area}; }, 35'000'000, 5 << 23));
  }
  // Few planes, for solutions that share the elements of each among many blocks.
  expect(far_outcome([](int n) { return Shape{1, 5, 1, n}; }, 800'000'000, 1'000'000'000));
}

TEST_CASE("budget") {
  static constexpr Shape s{2, 8, 24, 24};
  expect_budget("bias_leaky_relu", 8.0 * static_cast<double>(s.size()) + 4.0 * s.n * s.c,
                [] { return values_outcome(s, 0.1f); });
  // Planes of odd sizes, and such as are smaller than a warp.
  for (const Shape& other : {Shape{2, 8, 23, 25}, Shape{4, 128, 2, 4}}) {
    expect_bytes(
        8.0 * static_cast<double>(other.size()) + 4.0 * other.n * other.c,
        [&] { return values_outcome(other, 0.1f); }, 1.25);
  }
}

}  // namespace tut::ch14
