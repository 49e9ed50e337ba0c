#include "12_mixed_precision/sgd_fused.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch12 {
namespace {

constexpr float LEARNING_RATE = 0.75f, MOMENTUM = 0.9f, SCALE = 4096;

struct Rates {
  float learning_rate = LEARNING_RATE, momentum = MOMENTUM, scale = SCALE;
};

struct Vectors {
  Guarded<float> weights, velocity;
  Guarded<half> gradient, copy;
};

/// `begin`: elements before the first of each vector; a multiple of 16 begins at one of 16 bytes.
/// `odd`: the number of a vector that begins one element later, alone.
Vectors make_vectors(int size, std::size_t begin = 512, int odd = -1) {
  const auto guarded = [&]<class T>(T, int number) {
    return Guarded<T>(1, size, size, begin + (number == odd ? 1 : 0));
  };
  Vectors v{guarded(0.0f, 0), guarded(0.0f, 1), guarded(half(0.0f), 2), guarded(half(0.0f), 3)};
  for (int i = 0; i < size; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    v.weights.view()(0, i) = random_uniform(1, index);
    v.velocity.view()(0, i) = random_uniform(2, index);
    v.gradient.view()(0, i) = half(i % 7 == 3 ? 0.0f : SCALE * random_uniform(3, index));
    v.copy.view()(0, i) = half(v.weights.view()(0, i));
  }
  return v;
}

/// The words of a LossScale, so that a call on other data finds another one there.
Guarded<std::uint32_t> state_words(float scale, int overflow) {
  const LossScale state{scale, 1 / scale, overflow, 3, 5};
  constexpr int WORDS = sizeof(LossScale) / sizeof(std::uint32_t);
  Guarded<std::uint32_t> words(1, WORDS, WORDS, 16);
  std::memcpy(words.view().data, &state, sizeof(state));
  return words;
}

Outcome run(Vectors& v, int overflow, const std::string& text, const Rates& rates = {}) {
  Guarded<std::uint32_t> state = state_words(rates.scale, overflow);
  const Guarded<std::uint32_t> state_before = state;
  const auto n = static_cast<std::size_t>(v.weights.cols());
  Outcome outcome = run_on_device(
      {.most_launches = 1}, text,
      [&](cudaStream_t stream, MatrixView<float> weights, MatrixView<float> velocity,
          MatrixView<half> gradient, MatrixView<half> copy, MatrixView<std::uint32_t> words) {
        sgd_fused({weights.data, n}, {velocity.data, n}, {gradient.data, n}, {copy.data, n},
                  reinterpret_cast<const LossScale*>(words.data), rates.learning_rate,
                  rates.momentum, stream);
      },
      v.weights, v.velocity, v.gradient, v.copy, state);
  return outcome.ok ? nothing_changed(state_before, state, "state", text, true) : outcome;
}

Outcome step_outcome(Vectors v, const std::string& text, const Rates& rates = {}) {
  const Vectors before = v;
  const int size = v.weights.cols();
  if (Outcome outcome = run(v, 0, text, rates); !outcome.ok) return outcome;

  const auto row = [&](auto&& element) {
    return make_matrix<double>(1, size, [&](int, int i) { return element(i); });
  };
  const auto old = [&](const auto& image, int i) { return to_double(image.cview()(0, i)); };
  const auto velocity = [&](int i) {
    const double sum = static_cast<double>(rates.momentum) * old(before.velocity, i) +
                       old(before.gradient, i) / static_cast<double>(rates.scale);
    return static_cast<double>(std::isfinite(static_cast<float>(sum)) ? sum
                                                                      : static_cast<float>(sum));
  };
  const auto weight = [&](int i) {
    return old(before.weights, i) - static_cast<double>(rates.learning_rate) * velocity(i);
  };
  // Two roundings of a velocity, two more of a weight, and those of the products.
  const auto of_velocity = [&](int i) {
    return 0x1p-22 * (std::abs(old(before.velocity, i)) +
                      std::abs(old(before.gradient, i)) / static_cast<double>(rates.scale));
  };
  const auto of_weight = [&](int i) {
    return 0x1p-23 * std::abs(old(before.weights, i)) +
           static_cast<double>(rates.learning_rate) * 2 * of_velocity(i);
  };
  const auto exact = row([](int) { return 0.0; });
  const auto new_copy =
      row([&](int i) { return to_double(__float2half_rn(v.weights.cview()(0, i))); });
  const auto compared = [&](const auto& got, const HostMatrix<double>& expected,
                            const HostMatrix<double>& most, const char* name,
                            const std::vector<Formula>& mistakes) {
    return compare(got.cview(), expected, most,
                   {.name = name, .shape = text, .is_vector = true, .pattern = [&](const auto& m) {
                      return formula_pattern(m, mistakes);
                    }});
  };
  const auto old_velocity = [&](int, int i) { return old(before.velocity, i); };
  const auto old_weight = [&](int, int i) { return old(before.weights, i); };
  const double scale = rates.scale, rate = rates.learning_rate, momentum = rates.momentum;
  const auto unscaled = [&](int i) { return old(before.gradient, i) / scale; };
  const std::vector<Formula> of_velocities = {
      {"made with a gradient that was unscaled in half, which lacks the range and the digits for "
       "it: convert it to float first",
       [&](int, int i) {
         const __half inverse = __float2half_rn(1 / rates.scale);
         const double product = static_cast<double>(__half2float(before.gradient.cview()(0, i))) *
                                static_cast<double>(__half2float(inverse));
         const double rounded = to_double(__float2half_rn(static_cast<float>(product)));
         return rounded != unscaled(i) ? momentum * old(before.velocity, i) + rounded : no_opinion;
       }},
      {"as it was before the call: is the new velocity stored?", old_velocity},
      {"made with the gradient times the learning rate: that belongs to the weight's step",
       [&](int, int i) { return momentum * old(before.velocity, i) + rate * unscaled(i); }},
      {"made with the gradient times 1 - momentum: it is added as it is, unscaled",
       [&](int, int i) {
         return momentum * old(before.velocity, i) + (1 - momentum) * unscaled(i);
       }},
      {"the old velocity times the momentum, and the gradient as it is: divide it by the scale",
       [&](int, int i) { return momentum * old(before.velocity, i) + unscaled(i) * scale; }},
      {"made with the gradient times the scale: divide by it, or multiply by its inverse",
       [&](int, int i) {
         return momentum * old(before.velocity, i) + unscaled(i) * scale * scale;
       }},
      {"the unscaled gradient alone: the old velocity times the momentum belongs to it",
       [&](int, int i) { return unscaled(i); }},
      {"the old velocity and the unscaled gradient: where is the momentum?",
       [&](int, int i) { return old(before.velocity, i) + unscaled(i); }},
      {"the old velocity times the momentum alone: the gradient belongs to it",
       [&](int, int i) { return momentum * old(before.velocity, i); }},
      {"momentum times velocity minus the gradient: a velocity adds it, the weight subtracts",
       [&](int, int i) { return momentum * old(before.velocity, i) - unscaled(i); }}};
  const std::vector<Formula> of_weights = {
      {"as it was before the call: is the new weight stored?", old_weight},
      {"moved by the old velocity: the new one comes first",
       [&](int, int i) { return old(before.weights, i) - rate * old(before.velocity, i); }},
      {"moved up the gradient: the step is subtracted",
       [&](int, int i) { return old(before.weights, i) + rate * velocity(i); }},
      {"moved by the velocity itself: where is the learning rate?",
       [&](int, int i) { return old(before.weights, i) - velocity(i); }},
      {"moved by the gradient and not by the velocity",
       [&](int, int i) { return old(before.weights, i) - rate * unscaled(i); }},
      {"what follows from the copy: the step is taken in FP32, from the weight itself",
       [&](int, int i) { return old(before.copy, i) - rate * velocity(i); }}};
  const std::vector<Formula> of_copies = {
      {"the copy of the old weight: the new one comes first",
       [&](int, int i) { return to_double(__float2half_rn(before.weights.cview()(0, i))); }},
      {"the copy of the velocity",
       [&](int, int i) { return to_double(__float2half_rn(v.velocity.cview()(0, i))); }}};
  return first_failure(
      {compared(v.velocity, row(velocity), row(of_velocity), "velocity", of_velocities),
       compared(v.weights, row(weight), row(of_weight), "weights", of_weights),
       compared(v.copy, new_copy, exact, "copy", of_copies),
       only_inside_changed(before.weights, v.weights, "weights", text, true),
       only_inside_changed(before.velocity, v.velocity, "velocity", text, true),
       only_inside_changed(before.copy, v.copy, "copy", text, true),
       nothing_changed(before.gradient, v.gradient, "gradient", text, true)});
}

Outcome step_outcome(int size, std::size_t begin = 512, int odd = -1) {
  return step_outcome(
      make_vectors(size, begin, odd),
      std::to_string(size) + " weights, learning rate " + number_text(Rates{}.learning_rate) +
          ", momentum " + number_text(Rates{}.momentum) +
          (begin % 16 != 0 || odd >= 0 ? ", which begin at no multiple of 16 bytes" : ""));
}

/// Weights beyond half's range and below it, that move by less than half could tell.
Outcome sizes_outcome() {
  const std::vector<float> weights = {70000, -70000, 65519,   65520, 1.0f,
                                      1e-6f, 1e-9f,  -1e-30f, 1e30f};
  const auto size = static_cast<int>(weights.size());
  Vectors v = make_vectors(size);
  for (int i = 0; i < size; ++i) {
    v.weights.view()(0, i) = weights[static_cast<std::size_t>(i)];
    v.velocity.view()(0, i) = 1e-3f * v.velocity.view()(0, i);
  }
  v.velocity.view()(0, size - 1) = 1e30f;
  return step_outcome(v, "learning rate 1e-6, momentum 0.999, weights from 1e-30 to 1e30",
                      {.learning_rate = 1e-6f, .momentum = 0.999f, .scale = 65536});
}

/// A scale that takes gradients below half's range.
Outcome large_scale_outcome() {
  Vectors v = make_vectors(4);
  v.weights.fill(0);
  v.velocity.fill(0);
  for (int i = 0; i < 4; ++i) v.gradient.view()(0, i) = half(static_cast<float>(i) - 1.5f);
  return step_outcome(v, "scale 2^30", {.learning_rate = 0.5f, .momentum = 0.5f, .scale = 0x1p30f});
}

/// Velocities beyond the largest float, which a small step would bring back into its range.
Outcome overflowing_outcome() {
  Vectors v = make_vectors(40);
  for (int i = 0; i < 40; ++i) {
    v.velocity.view()(0, i) = i % 2 == 0 ? 3e38f : -3e38f;
    v.gradient.view()(0, i) = half(i % 4 < 2 ? 2.0f : -2.0f);
  }
  return step_outcome(v, "velocities at the end of float's range, learning rate 1e-20",
                      {.learning_rate = 1e-20f, .momentum = 0.875f, .scale = 0x1p-126f});
}

/// What is infinite or no number, though no overflow was found, beside what is not: a thread may
/// have more than one weight to step.
Outcome special_values_outcome(const Rates& rates) {
  constexpr float INF = std::numeric_limits<float>::infinity(),
                  NOT = std::numeric_limits<float>::quiet_NaN();
  constexpr int SIZE = 5003;
  Vectors v = make_vectors(SIZE);
  for (int i = 0; i < SIZE; ++i) {
    const std::uint64_t number = drawn_bits(4, static_cast<std::uint64_t>(i));
    if (number % 16 > 2) continue;
    const float special = std::array{INF, -INF, NOT}[number / 16 % 3];
    if (number % 16 == 0) v.weights.view()(0, i) = special;
    if (number % 16 == 1) v.velocity.view()(0, i) = special;
    if (number % 16 == 2) v.gradient.view()(0, i) = half(special);
  }
  return step_outcome(v,
                      "infinities and NaN among others, learning rate " +
                          number_text(rates.learning_rate) + ", momentum " +
                          number_text(rates.momentum) + ", scale " + number_text(rates.scale),
                      rates);
}

Outcome skipped_outcome(int size, int overflow = 1) {
  Vectors v = make_vectors(size);
  v.gradient.view()(0, size / 2) = half(std::numeric_limits<float>::infinity());
  for (int i = 0; i < size; ++i) v.copy.view()(0, i) = half(3.0f);  // not what the weight rounds to
  const Vectors before = v;
  const std::string text = "after an overflow, its flag " + std::to_string(overflow) + ", " +
                           std::to_string(size) + " weights";
  if (Outcome outcome = run(v, overflow, text); !outcome.ok) return outcome;
  return first_failure({nothing_changed(before.weights, v.weights, "weights", text, true),
                        nothing_changed(before.velocity, v.velocity, "velocity", text, true),
                        nothing_changed(before.gradient, v.gradient, "gradient", text, true),
                        nothing_changed(before.copy, v.copy, "copy", text, true)});
}

}  // namespace

TEST_CASE("sgd_fused unscales, steps in FP32 and writes the copy") {
  for (const int size : {1000, 257, 256, 255, 33, 31, 4099, 1, 300003}) {
    expect(step_outcome(size));
  }
  expect(step_outcome(1000, 513));
  for (const int odd : {0, 1, 2, 3}) expect(step_outcome(1000, 512, odd));
}

TEST_CASE("sgd_fused changes nothing after an overflow") {
  for (const int size : {1000, 257, 1, 300003}) expect(skipped_outcome(size));
  for (const int overflow : {2, -1, 1 << 30}) expect(skipped_outcome(300, overflow));
}

TEST_CASE("sgd_fused keeps gradients that FP16 can only hold scaled") {
  expect(large_scale_outcome());
}

TEST_CASE("sgd_fused steps in FP32, whatever the sizes") {
  expect(sizes_outcome());
  expect(overflowing_outcome());
}

TEST_CASE("sgd_fused at any rates, and with NaN and infinity") {
  for (const Rates& rates :
       {Rates{}, {0.0f, 0.9f, 1.0f}, {0.1f, 0.0f, 1024}, {2.0f, 0.5f, 1.0f / 16}}) {
    expect(special_values_outcome(rates));
  }
}

TEST_CASE("sgd_fused refuses lengths that differ or are 0") {
  const DeviceBuffer<float> floats(4);
  const DeviceBuffer<half> halves(4);
  const DeviceBuffer<LossScale> state(std::vector<LossScale>{{1, 1, 0, 0, 0}});
  float* f = floats.data();
  half* h = halves.data();
  const auto call = [&](const std::array<std::size_t, 4>& n) {
    sgd_fused({f, n[0]}, {f, n[1]}, {h, n[2]}, {h, n[3]}, state.data(), 1, 0);
  };
  // Bit k of `others`: span k has another length than the rest.
  for (unsigned others = 1; others < 15; ++others) {
    for (const std::size_t length : {std::size_t{3}, std::size_t{5}, std::size_t{0}}) {
      std::array<std::size_t, 4> lengths{4, 4, 4, 4};
      for (unsigned k = 0; k < 4; ++k) {
        if ((others >> k & 1) != 0) lengths[k] = length;
      }
      INFO("spans of ", lengths[0], ", ", lengths[1], ", ", lengths[2], " and ", lengths[3],
           " elements, in their order");
      CHECK_THROWS_AS(call(lengths), std::invalid_argument);
    }
  }
  CHECK_THROWS_AS(call({0, 0, 0, 0}), std::invalid_argument);
  CHECK_THROWS_AS(sgd_fused({f, 4}, {f, 4}, {h, 4}, {h, 4}, nullptr, 1, 0), std::invalid_argument);
}

TEST_CASE("sgd_fused of as many weights as there may be") {
  const LongBuffer<float> weights, velocity;
  const LongBuffer<half> gradient, copy;
  MarkedParts results("the weights", weights.data(), kLongSize);
  results.add_ends("the velocity", velocity.data(), kLongSize);
  results.add_ends("the copy", copy.data(), kLongSize);
  const DeviceBuffer<LossScale> state(std::vector<LossScale>{{1, 1, 0, 0, 0}});
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) {
        const auto size = static_cast<std::size_t>(n);
        sgd_fused({weights.data(), size}, {velocity.data(), size}, {gradient.data(), size},
                  {copy.data(), size}, state.data(), 0.5f, 0.5f, stream);
      },
      [](int n) { return step_outcome(n); }, 300003, results));
}

TEST_CASE("budget") {
  constexpr int SIZE = 4096, kOddSize = SIZE + 5;
  expect_budget("sgd_fused", (20.0 + 2.0) * SIZE, [] { return step_outcome(SIZE); });
  expect_bytes((20.0 + 2.0) * kOddSize, [] { return step_outcome(kOddSize, 513); }, 1.25);
}

}  // namespace tut::ch12
