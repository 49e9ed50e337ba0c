#include "16_cnn_trainer/sgd_scheduled.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "../14_layers_and_fusion/vector_image.hpp"
#include "recorded.hpp"
#include "tut/budget.hpp"
#include "tut/device_buffer.hpp"

namespace tut::ch16 {
namespace {

using ch14::near_outcome;
using ch14::span_of;
using ch14::uniform_values;
using ch14::vector_image;

double rate_at(std::uint32_t t, const WarmupCosine& s) {
  if (t < s.warmup) return s.peak * (t + 1.0) / (s.warmup + 1.0);
  if (t >= s.steps) return 0;
  const double done =
      (static_cast<double>(t) - s.warmup) / (static_cast<double>(s.steps) - s.warmup);
  return 0.5 * s.peak * (1 + std::cos(std::numbers::pi * done));
}

Outcome values_outcome(std::size_t size, const WarmupCosine& schedule, float momentum,
                       std::uint32_t t) {
  const std::vector<float> p = uniform_values(size, 1), v = uniform_values(size, 2),
                           g = uniform_values(size, 3);
  Guarded<float> parameters = vector_image(p), velocity = vector_image(v),
                 gradient = vector_image(g);
  // A step past the end would leave a NaN as it is: there must be numbers.
  parameters.surround(0.5f);
  velocity.surround(0.25f);
  gradient.surround(0.75f);
  auto step = vector_image(std::vector<std::uint32_t>{t});
  const Guarded<float> parameters_before = parameters, velocity_before = velocity,
                       gradient_before = gradient;
  const auto step_before = step;
  const std::string text = std::to_string(size) + " parameters, step " + std::to_string(t) +
                           " of " + std::to_string(schedule.steps) + ", warm-up " +
                           std::to_string(schedule.warmup);
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, auto pv, auto vv, auto gv, auto sv) {
        sgd_scheduled(span_of(pv), span_of(vv), span_of(gv), schedule, momentum, sv.data, stream);
      },
      parameters, velocity, gradient, step);
  if (!run.ok) return run;
  std::vector<double> new_p, new_v;
  for (std::size_t i = 0; i < size; ++i) {
    new_v.push_back(static_cast<double>(momentum) * v[i] + g[i]);
    new_p.push_back(p[i] - rate_at(t, schedule) * new_v.back());
  }
  return first_failure(
      {near_outcome(velocity_before, velocity, new_v, 1e-6, 1e-6, "the velocity", text),
       near_outcome(parameters_before, parameters, new_p, 1e-6, 2e-6, "the parameters", text),
       near_outcome(step_before, step, {t + 1.0}, 0, 0, "the counter", text),
       nothing_changed(gradient_before, gradient, "gradient", text, true)});
}

}  // namespace

TEST_CASE("sgd_scheduled steps with the rate of its step, and counts it") {
  for (const std::size_t size : {1000, 1, 31, 255, 256, 257, 4099}) {
    for (const std::uint32_t t : {0, 1, 4, 5, 6, 12, 19, 20, 25}) {
      expect(values_outcome(size, {1.0f, 5, 20}, 0.9f, t));
    }
  }
  for (const std::uint32_t t : {0, 1, 2}) {
    expect(values_outcome(1000, {0.5f, 0, 2}, 0.0f, t));
    expect(values_outcome(1000, {0.5f, 0, 1}, 0.5f, t));
    expect(values_outcome(1000, {0.5f, 2, 3}, 0.5f, t));
  }
}

TEST_CASE("sgd_scheduled tells steps apart that float does not") {
  constexpr std::uint32_t FAR = std::uint32_t{1} << 31;
  for (const std::uint32_t part : {0, 10, 25, 39}) {
    expect(values_outcome(300, {1.0f, FAR, FAR + 40}, 0.9f, FAR + part));
  }
}

TEST_CASE("sgd_scheduled can be recorded once and replayed for every step") {
  constexpr std::size_t SIZE = 700;
  const WarmupCosine schedule{0.25f, 3, 9};
  const std::vector<float> p = uniform_values(SIZE, 1), g = uniform_values(SIZE, 3);
  const DeviceBuffer<float> parameters(p), velocity(std::vector<float>(SIZE, 0.0f)), gradient(g);
  const DeviceBuffer<std::uint32_t> step(std::vector<std::uint32_t>{0});
  const Recorded recorded([&](cudaStream_t stream) {
    sgd_scheduled({parameters.data(), SIZE}, {velocity.data(), SIZE}, {gradient.data(), SIZE},
                  schedule, 0.5f, step.data(), stream);
  });
  expect(recorded.outcome());
  if (!recorded.outcome().ok) return;
  check(cudaDeviceSynchronize());
  double v = 0, moved = 0;  // for a gradient of 1
  for (std::uint32_t t = 0; t < 11; ++t) {
    recorded.replay();
    v = 0.5 * v + 1;
    moved += rate_at(t, schedule) * v;
  }
  const std::vector<float> got = parameters.to_host();
  Outcome outcome;
  for (std::size_t i = 0; i < SIZE && outcome.ok; ++i) {
    const double expected = p[i] - moved * g[i];
    if (std::abs(got[i] - expected) <= 1e-5) continue;
    outcome =
        failure("values", "after 11 replays parameter " + std::to_string(i) + " is " +
                              std::to_string(got[i]) + "; expected " + std::to_string(expected));
  }
  expect(outcome);
  const std::uint32_t count = step.to_host()[0];
  expect(count == 11
             ? Outcome{}
             : failure("values", "after 11 replays the counter is " + std::to_string(count)));
}

TEST_CASE("sgd_scheduled refuses what does not fit") {
  const DeviceBuffer<float> x(8);
  const DeviceBuffer<std::uint32_t> step(1);
  const std::span<float> all(x.data(), 8);
  const WarmupCosine good{0.1f, 1, 2};
  CHECK_THROWS_AS(sgd_scheduled(all, all.first(7), all, good, 0.9f, step.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(sgd_scheduled(all, all, all.first(7), good, 0.9f, step.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(sgd_scheduled({}, {}, {}, good, 0.9f, step.data()), std::invalid_argument);
  CHECK_THROWS_AS(sgd_scheduled(all, all, all, good, 0.9f, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(sgd_scheduled(all, all, all, {0.0f, 1, 2}, 0.9f, step.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(sgd_scheduled(all, all, all, {0.1f, 2, 2}, 0.9f, step.data()),
                  std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 8192;
  const DeviceBuffer<float> p(uniform_values(SIZE, 1)), v(uniform_values(SIZE, 2)),
      g(uniform_values(SIZE, 3));
  const DeviceBuffer<std::uint32_t> step(std::vector<std::uint32_t>{3});
  expect_budget("sgd_scheduled", 20.0 * SIZE + 32.0 * (SIZE / 256.0), [&] {
    sgd_scheduled({p.data(), SIZE}, {v.data(), SIZE}, {g.data(), SIZE}, {0.1f, 2, 10}, 0.9f,
                  step.data());
  });
}

}  // namespace tut::ch16
