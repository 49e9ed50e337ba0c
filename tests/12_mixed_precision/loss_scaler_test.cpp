#include "12_mixed_precision/loss_scaler.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "12_mixed_precision/scaled_training.hpp"
#include "12_mixed_precision/sgd_master_weights.hpp"
#include "12_mixed_precision/unscale_and_check.hpp"
#include "12_mixed_precision/update_scale.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch12 {
namespace {

constexpr float INF = std::numeric_limits<float>::infinity();
constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();

DeviceBuffer<LossScale> make_state(float scale, int overflow = 0) {
  return DeviceBuffer<LossScale>(std::vector<LossScale>{{scale, 1 / scale, overflow, 0, 0}});
}

/// Unscales `values` that begin `shift` elements into their memory; out must be exact.
template <class T>
Outcome unscale_outcome(int size, int shift, float scale) {
  Guarded<T> gradient(1, size, size, static_cast<std::size_t>(64 + shift));
  Guarded<float> out(1, size, size, static_cast<std::size_t>(64 + shift));
  HostMatrix<double> expected(1, size), bound(1, size);
  bound.fill(0);
  for (int i = 0; i < size; ++i) {
    const T value = from_float<T>(1000 * random_uniform(5, static_cast<std::uint64_t>(i)));
    gradient.view()(0, i) = value;
    expected(0, i) = to_double(value) / static_cast<double>(scale);
  }
  const Guarded<T> before = gradient;
  const Guarded<float> out_before = out;
  const DeviceBuffer<LossScale> state = make_state(scale);
  const std::string text = std::to_string(size) + " gradients, shifted by " + std::to_string(shift);
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<T> from, MatrixView<float> to) {
        const auto n = static_cast<std::size_t>(size);
        unscale_and_check(std::span<const T>(from.data, n), {to.data, n}, state.data(), stream);
      },
      gradient, out);
  if (!run.ok) return run;
  if (state.to_host()[0].overflow != 0)
    return failure("values", "a flag without overflow, " + text);
  return first_failure({compare(out.cview(), expected, bound, {.name = "out", .shape = text}),
                        only_inside_changed(out_before, out, "out", text, true),
                        nothing_changed(before, gradient, "gradient", text, true)});
}

/// The flag after one of `size` gradients was `value`.
template <class T>
int flag_with(int size, int place, float value, bool with_output) {
  std::vector<T> gradient(static_cast<std::size_t>(size), from_float<T>(1.0f));
  gradient[static_cast<std::size_t>(place)] = from_float<T>(value);
  const DeviceBuffer<T> device(gradient);
  const DeviceBuffer<float> out(gradient.size());
  const DeviceBuffer<LossScale> state = make_state(4);
  unscale_and_check(std::span<const T>(device.data(), gradient.size()),
                    {out.data(), with_output ? gradient.size() : 0}, state.data());
  return state.to_host()[0].overflow;
}

LossScale updated(LossScale state, const LossScalePolicy& policy) {
  const DeviceBuffer<LossScale> device(std::vector<LossScale>{state});
  update_scale(device.data(), policy);
  return device.to_host()[0];
}

struct Step {
  std::vector<float> weights, velocity;
  std::vector<half> copy;
};

Step step_outcome(int overflow) {
  const DeviceBuffer<float> weights(std::vector<float>{1, 2, 3}),
      velocity(std::vector<float>{4, 0, 8}), gradient(std::vector<float>{0.5f, -1, 16});
  const DeviceBuffer<half> copy(std::vector<half>(3, half(0.0f)));
  const DeviceBuffer<LossScale> state = make_state(2, overflow);
  sgd_master_weights({weights.data(), 3}, {velocity.data(), 3}, {gradient.data(), 3},
                     {copy.data(), 3}, state.data(), 0.5f, 0.25f);
  return {weights.to_host(), velocity.to_host(), copy.to_host()};
}

}  // namespace

TEST_CASE("unscale_and_check divides by the scale, at every length and alignment") {
  for (const int size : {1024, 1, 3, 4, 5, 127, 129, 1000, 4099}) {
    for (const int shift : {0, 1, 2}) {
      expect(unscale_outcome<float>(size, shift, 1024));
      expect(unscale_outcome<half>(size, shift, 1024));
    }
  }
}

TEST_CASE("unscale_and_check works in place") {
  const DeviceBuffer<float> gradient(std::vector<float>{1, 2, 3, 4, 5});
  const DeviceBuffer<LossScale> state = make_state(2);
  unscale_and_check(std::span<const float>(gradient.data(), 5), {gradient.data(), 5}, state.data());
  CHECK(gradient.to_host() == std::vector<float>{0.5f, 1, 1.5f, 2, 2.5f});
}

TEST_CASE(
    "unscale_and_check flags one infinity or NaN wherever it stands, with and without output") {
  for (const int place : {0, 3, 31, 255, 1023, 1024, 1028}) {
    for (const float value : {INF, -INF, NOT_A_NUMBER}) {
      for (const bool with_output : {true, false}) {
        CAPTURE(place);
        CHECK(flag_with<float>(1029, place, value, with_output) == 1);
        CHECK(flag_with<half>(1029, place, value, with_output) == 1);
      }
    }
  }
  CHECK(flag_with<half>(1029, 7, 70000.0f, true) == 1);  // beyond half's largest
  CHECK(flag_with<float>(1029, 7, 70000.0f, true) == 0);
}

TEST_CASE("a flag that is set stays set") {
  const DeviceBuffer<float> gradient(std::vector<float>(8, 1.0f));
  const DeviceBuffer<LossScale> state = make_state(2, 1);
  unscale_and_check(std::span<const float>(gradient.data(), 8), {}, state.data());
  CHECK(state.to_host()[0].overflow == 1);
}

TEST_CASE("update_scale halves after an overflow and doubles after enough good steps") {
  const LossScalePolicy policy{.initial = 16, .interval = 3, .smallest = 4, .largest = 32};
  LossScale s = updated({16, 1.0f / 16, 1, 2, 0}, policy);
  CHECK(s.scale == 8);
  CHECK(s.inverse == 0.125f);
  CHECK(s.overflow == 0);
  CHECK(s.good_steps == 0);
  CHECK(s.skipped_steps == 1);
  for (int i = 0; i < 2; ++i) s = updated(s, policy);
  CHECK(s.scale == 8);
  CHECK(s.good_steps == 2);
  s = updated(s, policy);
  CHECK(s.scale == 16);
  CHECK(s.good_steps == 0);
  for (int i = 0; i < 6; ++i) s = updated(s, policy);
  CHECK(s.scale == 32);  // not beyond the largest
  for (int i = 0; i < 5; ++i) {
    s.overflow = 1;
    s = updated(s, policy);
  }
  CHECK(s.scale == 4);  // not below the smallest
  CHECK(s.skipped_steps == 6);
}

TEST_CASE("sgd_master_weights steps in FP32 and writes the copy") {
  const Step step = step_outcome(0);
  CHECK(step.velocity == std::vector<float>{1.5f, -1, 18});
  CHECK(step.weights == std::vector<float>{0.25f, 2.5f, -6});
  CHECK(to_double(step.copy[2]) == -6);
}

TEST_CASE("sgd_master_weights leaves everything as it is after an overflow") {
  const Step step = step_outcome(1);
  CHECK(step.velocity == std::vector<float>{4, 0, 8});
  CHECK(step.weights == std::vector<float>{1, 2, 3});
  CHECK(to_double(step.copy[0]) == 0);
}

TEST_CASE("a master weight keeps what its FP16 copy cannot hold") {
  const DeviceBuffer<float> weights(std::vector<float>{1.0f}), velocity(std::vector<float>{0.0f}),
      gradient(std::vector<float>{0x1p-13f});
  const DeviceBuffer<half> copy(1);
  const DeviceBuffer<LossScale> state = make_state(1);
  for (int i = 0; i < 8; ++i) {
    sgd_master_weights({weights.data(), 1}, {velocity.data(), 1}, {gradient.data(), 1},
                       {copy.data(), 1}, state.data(), 1.0f, 0.0f);
    const double in_half = to_double(copy.to_host()[0]);
    CHECK((i < 2 ? in_half == 1 : in_half < 1));  // 1 - 2^-13 rounds to 1, and so would each step
  }
  CHECK(weights.to_host()[0] == 1 - 0x1p-10f);
}

TEST_CASE("LossScaler refuses policies that make no sense") {
  CHECK_THROWS_AS(LossScaler({.initial = 0}), std::invalid_argument);
  CHECK_THROWS_AS(LossScaler({.initial = 8, .largest = 4}), std::invalid_argument);
  CHECK_THROWS_AS(LossScaler({.growth = 0.5f}), std::invalid_argument);
  CHECK_THROWS_AS(LossScaler({.backoff = 0}), std::invalid_argument);
  CHECK_THROWS_AS(LossScaler({.backoff = 2}), std::invalid_argument);
  CHECK_THROWS_AS(LossScaler({.interval = 0}), std::invalid_argument);
  CHECK_THROWS_AS(LossScaler({.initial = INF, .largest = INF}), std::invalid_argument);
}

TEST_CASE("shapes that do not fit are refused") {
  const DeviceBuffer<float> memory(4);
  const DeviceBuffer<LossScale> state = make_state(1);
  float* data = memory.data();
  CHECK_THROWS_AS(unscale_and_check(std::span<const float>(data, 4), {data, 3}, state.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(unscale_and_check(std::span<const float>(data, 4), {data, 4}, nullptr),
                  std::invalid_argument);
  CHECK_THROWS_AS(update_scale(nullptr, {}), std::invalid_argument);
  CHECK_THROWS_AS(sgd_master_weights({data, 4}, {data, 3}, {data, 4}, {}, state.data(), 1, 0),
                  std::invalid_argument);
}

TEST_CASE("gradients that vanish in FP16 are learnt with a scale, fixed or moving") {
  CHECK(train_with_half_gradients(LossScalePolicy::fixed(1), 50).residual == 1);
  const ScaledTraining fixed = train_with_half_gradients(LossScalePolicy::fixed(65536), 200);
  CHECK(fixed.residual < 1e-3);
  CHECK(fixed.scale.skipped_steps == 0);
}

TEST_CASE("a scale that is too large skips every step; one that moves finds its way down") {
  const ScaledTraining stuck = train_with_half_gradients(LossScalePolicy::fixed(0x1p60f), 20);
  CHECK(stuck.residual == 1);
  CHECK(stuck.scale.skipped_steps == 20);
  const ScaledTraining found = train_with_half_gradients(
      {.initial = 0x1p60f, .interval = 20, .smallest = 1, .largest = 0x1p60f}, 200);
  CHECK(found.residual < 1e-5);
  CHECK(found.scale.skipped_steps > 0);
  CHECK(found.scale.skipped_steps < 30);
}

}  // namespace tut::ch12
