#include "14_layers_and_fusion/lion.hpp"

#include "16_cnn_trainer/trainer/own_kernels/mine/adapters.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/trial.hpp"

namespace tut::ch16::mine {

void use_lion(Kernels& kernels) { kernels.lion = ch14::lion; }

// The course has no other kernel of it: two steps beside its definition.
bool lion_agrees() {
  const ch14::LionOptions options{0.01f, 0.9f, 0.99f, 0.1f};
  for (const std::size_t size : {1, 255, 257, 5994}) {
    std::vector<float> p(size), momentum(size), slope(size);
    fill_uniform(p, 1);
    // Momentum and gradient weigh about the same in a step, and some are both 0.
    fill_uniform(momentum, 2, -0.1f, 0.1f);
    fill_uniform(slope, 3);
    for (std::size_t i = 0; i < size; i += 50) momentum[i] = slope[i] = 0.0f;
    const Values parameters(p), m(momentum), gradient(slope);
    for (int step = 0; step < 2; ++step) {
      ch14::lion(parameters.span(), m.span(), gradient.span(), options);
      for (std::size_t i = 0; i < size; ++i) {
        const float g = gradient.at(i);
        const float direction = options.beta1 * momentum[i] + (1 - options.beta1) * g;
        const float sign = direction > 0 ? 1.0f : direction < 0 ? -1.0f : 0.0f;
        p[i] -= options.learning_rate * (sign + options.weight_decay * p[i]);
        momentum[i] = options.beta2 * momentum[i] + (1 - options.beta2) * g;
      }
    }
    if (!near(parameters, Values(p)) || !near(m, Values(momentum)) || !gradient.unchanged()) {
      return false;
    }
  }
  return true;
}

}  // namespace tut::ch16::mine
