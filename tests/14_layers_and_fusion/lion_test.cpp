#include "14_layers_and_fusion/lion.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_image.hpp"

namespace tut::ch14 {
namespace {

double sign(double x) { return (x > 0) - (x < 0); }

struct Values {
  std::vector<float> parameters, m, gradients;
};

// No sign depends on how a sum is rounded, and one element has direction 0. `mixed`: with
// infinities and NaN here and there, but no parameter that is infinite: what becomes of it depends
// on how the step is put.
Values random_values(std::size_t size, const LionOptions& o, bool mixed) {
  const auto draw = mixed ? mixed_values : [](std::size_t count, std::uint64_t seed) {
    return uniform_values(count, seed);
  };
  Values v{draw(size, 1), draw(size, 2), draw(size, 3)};
  for (std::size_t i = 3; i < size; i += 7) v.gradients[i] = 0.0f;
  for (std::size_t i = 0; i < size; ++i) {
    const double direction = double{o.beta1} * v.m[i] + (1.0 - o.beta1) * v.gradients[i];
    if (std::abs(direction) < 1e-5) v.gradients[i] = v.m[i];
  }
  for (float& p : v.parameters) p = std::isinf(p) ? NOT_A_NUMBER : p;
  v.m[size / 2] = v.gradients[size / 2] = 0.0f;
  return v;
}

// Results of one step, with what compares them: near_outcome, or special_outcome.
using Comparison = std::function<Outcome(const Guarded<float>& before, const Guarded<float>& after,
                                         const std::vector<double>& expected, const char* name,
                                         const std::vector<Formula>& mistakes)>;

Outcome step_outcome(const Values& values, const LionOptions& o, std::size_t shift,
                     const std::string& text, const Comparison& comparison) {
  Guarded<float> parameters = vector_image(values.parameters, shift),
                 m = vector_image(values.m, shift),
                 gradient = vector_image(values.gradients, shift);
  // A step past the end would leave a NaN as it is: there must be numbers.
  parameters.surround(0.5f);
  m.surround(0.25f);
  gradient.surround(0.75f);
  const Guarded<float> parameters_before = parameters, m_before = m, gradient_before = gradient;
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<float> p, MatrixView<float> momentum,
          MatrixView<float> g) { lion(span_of(p), span_of(momentum), span_of(g), o, stream); },
      parameters, m, gradient);
  if (!run.ok) return run;
  std::vector<double> new_parameters, new_m;
  for (std::size_t i = 0; i < values.m.size(); ++i) {
    const double p = values.parameters[i], v = values.m[i], g = values.gradients[i];
    const double direction = o.beta1 * v + (1.0 - o.beta1) * g;
    // A NaN has no sign: what becomes of this parameter is left open.
    new_parameters.push_back(std::isnan(direction) && !std::isnan(p)
                                 ? parameters.cview().data[i]
                                 : p - o.learning_rate * (sign(direction) + o.weight_decay * p));
    new_m.push_back(o.beta2 * v + (1.0 - o.beta2) * g);
  }
  const auto at = [](const std::vector<float>& all, int i) {
    return static_cast<double>(all[static_cast<std::size_t>(i)]);
  };
  const auto p = [&](int i) { return at(values.parameters, i); };
  const auto g = [&](int i) { return at(values.gradients, i); };
  const auto old_m = [&](int i) { return at(values.m, i); };
  const auto mixed = [&](double beta, int i) { return beta * old_m(i) + (1.0 - beta) * g(i); };
  const auto moved = [&](double direction, int i) {
    return p(i) - o.learning_rate * (sign(direction) + o.weight_decay * p(i));
  };
  const std::vector<Formula> of_parameters = {
      {"as it was before the call: is the new parameter stored?", [&](int, int i) { return p(i); }},
      {"moved by the sign of the gradient: that of beta1 * m + (1 - beta1) * gradient decides",
       [&](int, int i) { return moved(g(i), i); }},
      {"moved by the sign of m: that of beta1 * m + (1 - beta1) * gradient decides",
       [&](int, int i) { return moved(old_m(i), i); }},
      {"moved by the sign of the new m, which beta2 makes: beta1 makes the direction, of the old m",
       [&](int, int i) { return moved(mixed(o.beta2, i), i); }},
      {"moved by the sign of what beta1 makes of the new m: the old one decides",
       [&](int, int i) { return moved(o.beta1 * mixed(o.beta2, i) + (1.0 - o.beta1) * g(i), i); }},
      {"moved the other way: the step is subtracted",
       [&](int, int i) { return 2 * p(i) - moved(mixed(o.beta1, i), i); }},
      {"moved by the direction itself, and not by its sign",
       [&](int, int i) {
         return p(i) - o.learning_rate * (mixed(o.beta1, i) + o.weight_decay * p(i));
       }},
      {"moved without the decay of the weight",
       [&](int, int i) { return p(i) - o.learning_rate * sign(mixed(o.beta1, i)); }},
      {"moved with a decay that the learning rate does not scale",
       [&](int, int i) {
         return p(i) - o.learning_rate * sign(mixed(o.beta1, i)) - o.weight_decay * p(i);
       }},
      {"moved by a decay that is added: it is subtracted, as the sign is",
       [&](int, int i) {
         return p(i) - o.learning_rate * (sign(mixed(o.beta1, i)) - o.weight_decay * p(i));
       }},
      {"made with the decay of the parameter that has moved already: that of the old one counts",
       [&](int, int i) {
         return (p(i) - o.learning_rate * sign(mixed(o.beta1, i))) *
                (1 - o.learning_rate * o.weight_decay);
       }},
      {"moved where m and gradient are 0, too: 0 has no sign, and its parameter only decays",
       [&](int, int i) {
         const double direction = mixed(o.beta1, i);
         return direction != 0 ? moved(direction, i) : moved(1, i);
       }}};
  const std::vector<Formula> of_m = {
      {"as it was before the call: is the new m stored?", [&](int, int i) { return old_m(i); }},
      {"made by beta1: that is for the direction, and beta2 for m",
       [&](int, int i) { return mixed(o.beta1, i); }},
      {"made of the direction: beta2 mixes the old m with the gradient",
       [&](int, int i) { return o.beta2 * mixed(o.beta1, i) + (1.0 - o.beta2) * g(i); }},
      {"made with the shares of m and of the gradient exchanged",
       [&](int, int i) { return mixed(1.0 - o.beta2, i); }}};
  return first_failure(
      {comparison(parameters_before, parameters, new_parameters, "parameters", of_parameters),
       comparison(m_before, m, new_m, "m", of_m),
       nothing_changed(gradient_before, gradient, "gradient", text, true)});
}

Outcome values_outcome(std::size_t size, const LionOptions& o, std::size_t shift = 0,
                       bool mixed = false) {
  const std::string text = std::to_string(size) + " parameters, " + std::to_string(4 * shift) +
                           " bytes off an aligned place" +
                           (mixed ? ", infinities and NaN among them" : "");
  return step_outcome(random_values(size, o, mixed), o, shift, text,
                      [&](const auto& before, const auto& after, const auto& expected, auto name,
                          const auto& mistakes) {
                        return near_outcome(before, after, expected, 1e-6, 1e-6, name, text, 0,
                                            mistakes);
                      });
}

// Steps of infinite, huge and tiny gradients, each with a direction.
Outcome special_values_outcome() {
  const Values values{std::vector<float>(8, 1.0f),
                      {0, 0, 1e30f, -1e30f, 1e-30f, 1e-38f, -1e-38f, -INF},
                      {INF, -INF, 1e30f, 1e30f, -1e-30f, 1e-38f, -1e-38f, 1}};
  const std::string text = "special values";
  return step_outcome(values, {.learning_rate = 0.5f}, 0, text,
                      [&](const auto&, const auto& after, const auto& expected, auto name,
                          const auto&) { return special_outcome(after, expected, name, text); });
}

}  // namespace

TEST_CASE("lion steps by the sign of its momentum, and decays what it steps") {
  for (const std::size_t size : {1000, 1, 31, 255, 256, 257, 4099}) {
    expect(values_outcome(size, {.learning_rate = 0.1f}));
    expect(values_outcome(size, {.learning_rate = 0.1f, .beta1 = 0.6f, .beta2 = 0.8f}));
    expect(values_outcome(size, {.learning_rate = 0.1f, .weight_decay = 0.5f}));
  }
  for (const float beta1 : {0.0f, 1.0f}) {
    for (const float beta2 : {0.0f, 1.0f}) {
      expect(values_outcome(1000, {.learning_rate = 0.1f, .beta1 = beta1, .beta2 = beta2}));
    }
  }
  expect(values_outcome(1000, {.learning_rate = 0.0f, .weight_decay = 0.5f}));
}

TEST_CASE("lion with more blocks than a device has") {
  // A thread that stops at a NaN leaves out the element one grid further.
  expect(values_outcome(1100003, {.learning_rate = 0.1f, .weight_decay = 0.5f}, 0, true));
}

TEST_CASE("lion wherever its floats begin") {
  for (const std::size_t shift : {1, 2, 3}) expect(values_outcome(4096, {}, shift));
}

TEST_CASE("lion with what is infinite, huge, tiny or no number") {
  expect(special_values_outcome());
  expect(values_outcome(5003, {.learning_rate = 0.1f, .weight_decay = 0.5f}, 0, true));
}

TEST_CASE("lion refuses what does not fit") {
  const DeviceBuffer<float> x(8);
  const std::span<float> all(x.data(), 8);
  for (const std::span<float>& other : {all.first(7), all.first(0)}) {
    INFO("other of ", other.size(), " elements, and all of ", all.size());
    CHECK_THROWS_AS(lion(other, all, all, {}), std::invalid_argument);
    CHECK_THROWS_AS(lion(all, other, all, {}), std::invalid_argument);
    CHECK_THROWS_AS(lion(all, all, other, {}), std::invalid_argument);
  }
  CHECK_THROWS_AS(lion({}, {}, {}, {}), std::invalid_argument);
}

TEST_CASE("lion of as many parameters as there may be") {
  const LongBuffer<float> parameters, m, gradient;
  MarkedParts results("parameters", parameters.data(), kLongSize);
  results.add_ends("m", m.data(), kLongSize);
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) {
        const auto size = static_cast<std::size_t>(n);
        lion({parameters.data(), size}, {m.data(), size}, {gradient.data(), size}, {}, stream);
      },
      [](int n) { return values_outcome(static_cast<std::size_t>(n), {}); }, 1100003, results));
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 8192, kOddSize = SIZE + 5;
  expect_budget("lion", 20.0 * SIZE, [] { return values_outcome(SIZE, {}); });
  expect_bytes(
      20.0 * kOddSize, [] { return values_outcome(kOddSize, {}, 1); }, 1.25);
}

}  // namespace tut::ch14
