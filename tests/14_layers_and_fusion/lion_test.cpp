#include "14_layers_and_fusion/lion.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "tut/budget.hpp"
#include "tut/device_buffer.hpp"
#include "vector_image.hpp"

namespace tut::ch14 {
namespace {

double sign(double x) { return (x > 0) - (x < 0); }

Outcome values_outcome(std::size_t size, const LionOptions& o) {
  std::vector<float> m_values = uniform_values(size, 2), gradients = uniform_values(size, 3);
  m_values[size / 2] = gradients[size / 2] = 0.0f;  // no direction at all
  Guarded<float> parameters = vector_image(uniform_values(size, 1)), m = vector_image(m_values),
                 gradient = vector_image(gradients);
  // A step past the end would leave a NaN as it is: there must be numbers.
  parameters.surround(0.5f);
  m.surround(0.25f);
  gradient.surround(0.75f);
  const Guarded<float> parameters_before = parameters, m_before = m, gradient_before = gradient;
  const std::string text = std::to_string(size) + " parameters";
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<float> p, MatrixView<float> momentum,
          MatrixView<float> g) { lion(span_of(p), span_of(momentum), span_of(g), o, stream); },
      parameters, m, gradient);
  if (!run.ok) return run;
  std::vector<double> new_parameters, new_m;
  for (std::size_t i = 0; i < size; ++i) {
    const double p = parameters_before.cview().data[i], v = m_values[i], g = gradients[i];
    const double direction = sign(o.beta1 * v + (1.0 - o.beta1) * g);
    new_parameters.push_back(p - o.learning_rate * (direction + o.weight_decay * p));
    new_m.push_back(o.beta2 * v + (1.0 - o.beta2) * g);
  }
  return first_failure(
      {near_outcome(parameters_before, parameters, new_parameters, 1e-6, 1e-7, "parameters", text),
       near_outcome(m_before, m, new_m, 1e-6, 1e-7, "m", text),
       nothing_changed(gradient_before, gradient, "gradient", text, true)});
}

}  // namespace

TEST_CASE("lion steps by the sign of its momentum, and decays what it steps") {
  for (const std::size_t size : {1000, 1, 31, 255, 256, 257, 4099}) {
    expect(values_outcome(size, {.learning_rate = 0.1f}));
    expect(values_outcome(size, {.learning_rate = 0.1f, .beta1 = 0.6f, .beta2 = 0.8f}));
    expect(values_outcome(size, {.learning_rate = 0.1f, .weight_decay = 0.5f}));
  }
}

TEST_CASE("lion refuses what does not fit") {
  const DeviceBuffer<float> x(8);
  const std::span<float> all(x.data(), 8);
  CHECK_THROWS_AS(lion(all, all.first(7), all, {}), std::invalid_argument);
  CHECK_THROWS_AS(lion(all, all, all.first(7), {}), std::invalid_argument);
  CHECK_THROWS_AS(lion({}, {}, {}, {}), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 8192;
  const DeviceBuffer<float> p(uniform_values(SIZE, 1)), m(uniform_values(SIZE, 2)),
      g(uniform_values(SIZE, 3));
  expect_budget("lion", 20.0 * SIZE, [&] {
    lion({p.data(), SIZE}, {m.data(), SIZE}, {g.data(), SIZE}, {});
  });
}

}  // namespace tut::ch14
