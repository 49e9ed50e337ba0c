#include "12_mixed_precision/sgd_fused.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "tut/budget.hpp"
#include "tut/device_case.hpp"
#include "tut/precision_cuda.hpp"
#include "tut/random.hpp"

namespace tut::ch12 {
namespace {

constexpr float LEARNING_RATE = 0.75f, MOMENTUM = 0.9f, SCALE = 4096;

struct Vectors {
  Guarded<float> weights, velocity;
  Guarded<half> gradient, copy;
};

Vectors make_vectors(int size) {
  const auto guarded = [&]<class T>(T) { return Guarded<T>(1, size, size, 512); };
  Vectors v{guarded(0.0f), guarded(0.0f), guarded(half(0.0f)), guarded(half(0.0f))};
  for (int i = 0; i < size; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    v.weights.view()(0, i) = random_uniform(1, index);
    v.velocity.view()(0, i) = random_uniform(2, index);
    v.gradient.view()(0, i) = half(SCALE * random_uniform(3, index));
    v.copy.view()(0, i) = half(v.weights.view()(0, i));
  }
  return v;
}

Outcome run(Vectors& v, int overflow, const std::string& text) {
  const DeviceBuffer<LossScale> state(std::vector<LossScale>{{SCALE, 1 / SCALE, overflow, 3, 5}});
  const auto n = static_cast<std::size_t>(v.weights.cols());
  Outcome outcome = run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<float> weights, MatrixView<float> velocity,
          MatrixView<half> gradient, MatrixView<half> copy) {
        sgd_fused({weights.data, n}, {velocity.data, n}, {gradient.data, n}, {copy.data, n},
                  state.data(), LEARNING_RATE, MOMENTUM, stream);
      },
      v.weights, v.velocity, v.gradient, v.copy);
  if (!outcome.ok) return outcome;
  const LossScale after = state.to_host()[0];
  const bool kept = after.scale == SCALE && after.overflow == overflow && after.good_steps == 3;
  return kept ? Outcome{} : failure("values", "the state of the loss scale changed (" + text + ")");
}

Outcome step_outcome(int size) {
  Vectors v = make_vectors(size);
  const Vectors before = v;
  const std::string text = std::to_string(size) + " weights";
  if (Outcome outcome = run(v, 0, text); !outcome.ok) return outcome;

  const auto row = [&](auto&& element) {
    return make_matrix<double>(1, size, [&](int, int i) { return element(i); });
  };
  const auto old = [&](const auto& image, int i) { return to_double(image.cview()(0, i)); };
  const auto velocity = [&](int i) {
    return static_cast<double>(MOMENTUM) * old(before.velocity, i) +
           old(before.gradient, i) / static_cast<double>(SCALE);
  };
  const auto weight = [&](int i) {
    return old(before.weights, i) - static_cast<double>(LEARNING_RATE) * velocity(i);
  };
  const auto bound = row([](int) { return 0x1p-22; });  // every term is below 2
  const auto exact = row([](int) { return 0.0; });
  const auto new_copy =
      row([&](int i) { return to_double(__float2half_rn(v.weights.cview()(0, i))); });
  const auto compared = [&](const auto& got, const HostMatrix<double>& expected,
                            const HostMatrix<double>& most, const char* name) {
    return compare(got.cview(), expected, most,
                   {.name = name, .shape = text, .is_vector = true, .pattern = {}});
  };
  return first_failure({compared(v.velocity, row(velocity), bound, "velocity"),
                        compared(v.weights, row(weight), bound, "weights"),
                        compared(v.copy, new_copy, exact, "copy"),
                        only_inside_changed(before.weights, v.weights, "weights", text, true),
                        only_inside_changed(before.velocity, v.velocity, "velocity", text, true),
                        only_inside_changed(before.copy, v.copy, "copy", text, true),
                        nothing_changed(before.gradient, v.gradient, "gradient", text, true)});
}

Outcome skipped_outcome(int size) {
  Vectors v = make_vectors(size);
  v.gradient.view()(0, size / 2) = half(std::numeric_limits<float>::infinity());
  const Vectors before = v;
  const std::string text = "after an overflow, " + std::to_string(size) + " weights";
  if (Outcome outcome = run(v, 1, text); !outcome.ok) return outcome;
  return first_failure({nothing_changed(before.weights, v.weights, "weights", text, true),
                        nothing_changed(before.velocity, v.velocity, "velocity", text, true),
                        nothing_changed(before.gradient, v.gradient, "gradient", text, true),
                        nothing_changed(before.copy, v.copy, "copy", text, true)});
}

}  // namespace

TEST_CASE("sgd_fused unscales, steps in FP32 and writes the copy") {
  for (const int size : {1000, 257, 256, 255, 33, 31, 4099, 1}) expect(step_outcome(size));
}

TEST_CASE("sgd_fused changes nothing after an overflow") {
  for (const int size : {1000, 257, 1}) expect(skipped_outcome(size));
}

TEST_CASE("sgd_fused keeps gradients that FP16 can only hold scaled") {
  const DeviceBuffer<float> weights(std::vector<float>{0, 0}), velocity(weights.to_host());
  const DeviceBuffer<half> gradient(std::vector<half>{half(0.125f), half(-3.0f)}), copy(2);
  const DeviceBuffer<LossScale> state(std::vector<LossScale>{{0x1p30f, 0x1p-30f, 0, 0, 0}});
  sgd_fused({weights.data(), 2}, {velocity.data(), 2}, {gradient.data(), 2}, {copy.data(), 2},
            state.data(), 0.5f, 0.5f);
  expect(compare_exactly(velocity.to_host(), {0x1p-33f, -0x3p-30f}, "velocity"));
  expect(compare_exactly(weights.to_host(), {-0x1p-34f, 0x3p-31f}, "weights"));
}

TEST_CASE("sgd_fused refuses lengths that differ or are 0") {
  const DeviceBuffer<float> floats(4);
  const DeviceBuffer<half> halves(4);
  const DeviceBuffer<LossScale> state(std::vector<LossScale>{{1, 1, 0, 0, 0}});
  float* f = floats.data();
  half* h = halves.data();
  CHECK_THROWS_AS(sgd_fused({f, 4}, {f, 4}, {h, 4}, {h, 3}, state.data(), 1, 0),
                  std::invalid_argument);
  CHECK_THROWS_AS(sgd_fused({f, 4}, {f, 4}, {h, 3}, {h, 4}, state.data(), 1, 0),
                  std::invalid_argument);
  CHECK_THROWS_AS(sgd_fused({f, 4}, {f, 3}, {h, 4}, {h, 4}, state.data(), 1, 0),
                  std::invalid_argument);
  CHECK_THROWS_AS(sgd_fused({f, 0}, {f, 0}, {h, 0}, {h, 0}, state.data(), 1, 0),
                  std::invalid_argument);
  CHECK_THROWS_AS(sgd_fused({f, 4}, {f, 4}, {h, 4}, {h, 4}, nullptr, 1, 0), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 4096;
  const DeviceBuffer<float> weights(std::vector<float>(SIZE, 1.0f)), velocity(weights.to_host());
  const DeviceBuffer<half> gradient(std::vector<half>(SIZE, half(1.0f))), copy(SIZE);
  const DeviceBuffer<LossScale> state(std::vector<LossScale>{{1, 1, 0, 0, 0}});
  expect_budget("sgd_fused", (20.0 + 2.0) * SIZE, [&] {
    sgd_fused({weights.data(), SIZE}, {velocity.data(), SIZE}, {gradient.data(), SIZE},
              {copy.data(), SIZE}, state.data(), LEARNING_RATE, MOMENTUM);
  });
}

}  // namespace tut::ch12
