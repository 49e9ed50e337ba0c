#include "16_cnn_trainer/sgd_scheduled.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "../14_layers_and_fusion/vector_image.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/grid_reach.hpp"
#include "tut/trial/recorded_call.hpp"

namespace tut::ch16 {
namespace {

using ch14::INF;
using ch14::near_outcome;
using ch14::NOT_A_NUMBER;
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
                       std::uint32_t t, std::size_t shift = 0) {
  const std::vector<float> p = uniform_values(size, 1);
  std::vector<float> v = uniform_values(size, 2), g = uniform_values(size, 3);
  for (std::size_t i = 3; i < size; i += 7) g[i] = 0;
  // What has overflowed is a number like any other; where the rate is 0, it times infinity would be
  // NaN.
  if (rate_at(t, schedule) > 1e-5 * schedule.peak) {
    constexpr std::array SPECIAL{INF, NOT_A_NUMBER, -INF};
    for (std::size_t i = 5; i < size; i += 89) g[i] = SPECIAL[i / 89 % SPECIAL.size()];
    for (std::size_t i = 50; i < size; i += 89) v[i] = SPECIAL[i / 89 % SPECIAL.size()];
  }
  Guarded<float> parameters = vector_image(p, shift), velocity = vector_image(v, shift),
                 gradient = vector_image(g, shift);
  // A step past the end would leave a NaN as it is: there must be numbers.
  parameters.surround(0.5f);
  velocity.surround(0.25f);
  gradient.surround(0.75f);
  auto step = vector_image(std::vector<std::uint32_t>{t}, shift);
  const Guarded<float> parameters_before = parameters, velocity_before = velocity,
                       gradient_before = gradient;
  const auto step_before = step;
  const std::string text = std::to_string(size) + " parameters, step " + std::to_string(t) +
                           " of " + std::to_string(schedule.steps) + ", warm-up " +
                           std::to_string(schedule.warmup) + ", " + std::to_string(4 * shift) +
                           " bytes off an aligned place";
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
       near_outcome(parameters_before, parameters, new_p, 1e-6, 5e-6, "the parameters", text),
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
  // The last steps that there are: t + 1 and warmup + 1 are 2^32 - 2.
  expect(values_outcome(300, {1.0f, 0xFFFFFFFD, 0xFFFFFFFF}, 0.9f, 0xFFFFFFFC));
  expect(values_outcome(300, {1.0f, 0, 0xFFFFFFFF}, 0.9f, 0xFFFFFFFE));
}

TEST_CASE("sgd_scheduled with more blocks than a device has") {
  expect(values_outcome(1100003, {1.0f, 5, 20}, 0.9f, 12));
}

TEST_CASE("sgd_scheduled wherever its floats begin") {
  for (const std::size_t shift : {1, 2, 3}) {
    expect(values_outcome(4096, {1.0f, 5, 20}, 0.9f, 12, shift));
  }
}

TEST_CASE("sgd_scheduled can be recorded once and replayed for every step") {
  constexpr std::size_t SIZE = 700;
  constexpr int STEPS = 11;
  const WarmupCosine schedule{0.25f, 3, 9};
  const std::vector<float> p = uniform_values(SIZE, 1), g = uniform_values(SIZE, 3);
  Guarded<float> parameters = vector_image(p), velocity = vector_image(std::vector<float>(SIZE)),
                 gradient = vector_image(g);
  auto step = vector_image(std::vector<std::uint32_t>{0});
  const Guarded<float> parameters_before = parameters;
  const auto step_before = step;
  const auto replays = [&](cudaStream_t stream, auto pv, auto vv, auto gv, auto sv) {
    const RecordedCall recorded([&](cudaStream_t capture) {
      sgd_scheduled(span_of(pv), span_of(vv), span_of(gv), schedule, 0.5f, sv.data, capture);
    });
    for (int t = 0; t < STEPS; ++t) recorded.replay(stream);
    check(cudaStreamSynchronize(stream));
  };
  const std::string text = std::to_string(STEPS) + " replays";
  // Which of its calls to CUDA fails is asked elsewhere: here most are the recording's.
  const Outcome run = run_on_device({.recordable = false, .throws_refusals = false}, text, replays,
                                    parameters, velocity, gradient, step);
  expect(run);
  if (!run.ok) return;
  double v = 0, moved = 0;  // for a gradient of 1
  for (std::uint32_t t = 0; t < STEPS; ++t) {
    v = 0.5 * v + 1;
    moved += rate_at(t, schedule) * v;
  }
  std::vector<double> expected;
  for (std::size_t i = 0; i < SIZE; ++i) expected.push_back(p[i] - moved * g[i]);
  expect(near_outcome(parameters_before, parameters, expected, 0, 4e-5, "the parameters", text));
  expect(near_outcome(step_before, step, {STEPS}, 0, 0, "the counter", text));
}

TEST_CASE("sgd_scheduled refuses what does not fit") {
  const DeviceBuffer<float> x(8);
  const DeviceBuffer<std::uint32_t> step(1);
  const std::span<float> all(x.data(), 8);
  const WarmupCosine good{0.1f, 1, 2};
  for (const std::span<float>& other : {all.first(7), all.first(0)}) {
    for (const auto& [p, v, g] : {std::array{other, all, all},
                                  {all, other, all},
                                  {all, all, other},
                                  {all, other, other},
                                  {other, all, other},
                                  {other, other, all}}) {
      INFO(p.size(), " parameters, ", v.size(), " velocities and ", g.size(), " gradients");
      CHECK_THROWS_AS(sgd_scheduled(p, v, g, good, 0.9f, step.data()), std::invalid_argument);
    }
  }
  CHECK_THROWS_AS(sgd_scheduled({}, {}, {}, good, 0.9f, step.data()), std::invalid_argument);
  CHECK_THROWS_AS(sgd_scheduled(all, all, all, good, 0.9f, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(sgd_scheduled(all, all, all, {0.0f, 1, 2}, 0.9f, step.data()),
                  std::invalid_argument);
  for (const float peak : {-0.1f, NOT_A_NUMBER}) {
    CAPTURE(peak);
    CHECK_THROWS_AS(sgd_scheduled(all, all, all, {peak, 1, 2}, 0.9f, step.data()),
                    std::invalid_argument);
  }
  for (const std::uint32_t warmup : {2u, 3u, 0xFFFFFFFFu}) {
    CAPTURE(warmup);
    CHECK_THROWS_AS(sgd_scheduled(all, all, all, {0.1f, warmup, 2}, 0.9f, step.data()),
                    std::invalid_argument);
  }
  CHECK_THROWS_AS(sgd_scheduled(all, all, all, {0.1f, 0, 0}, 0.9f, step.data()),
                  std::invalid_argument);
}

TEST_CASE("sgd_scheduled of as many parameters as there may be") {
  const LongBuffer<float> parameters, velocity, gradient;
  MarkedParts results("the parameters", parameters.data(), kLongSize);
  results.add_ends("the velocity", velocity.data(), kLongSize);
  const DeviceBuffer<std::uint32_t> step(std::vector<std::uint32_t>{0});
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) {
        const auto size = static_cast<std::size_t>(n);
        sgd_scheduled({parameters.data(), size}, {velocity.data(), size}, {gradient.data(), size},
                      {1.0f, 5, 20}, 0.9f, step.data(), stream);
      },
      [](int n) {
        return values_outcome(static_cast<std::size_t>(n), {1.0f, 5, 20}, 0.9f, 12);
      },
      1100003, results));
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 8192, kOddSize = SIZE + 5;
  const auto cost = [](std::size_t size) { return 20.0 * size + 32.0 * (size / 256.0); };
  expect_budget("sgd_scheduled", cost(SIZE), [] {
    return values_outcome(SIZE, {0.1f, 2, 10}, 0.9f, 3);
  });
  expect_bytes(
      cost(kOddSize),
      [] {
        return values_outcome(kOddSize, {0.1f, 2, 10}, 0.9f, 3, 1);
      },
      1.25);
}

}  // namespace tut::ch16
