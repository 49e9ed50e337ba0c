#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "14_layers_and_fusion/adam.hpp"
#include "14_layers_and_fusion/separate_passes.hpp"
#include "14_layers_and_fusion/sgd_momentum.hpp"
#include "guarded_vector.hpp"

namespace tut::ch14::test {
namespace {

const std::vector<std::size_t> kSizes{1, 31, 255, 256, 257, 5003};
constexpr int kSteps = 4;

// Parameters with their state on the device, and a gradient for each step.
struct Vectors {
  std::vector<float> start;
  GuardedVector<float> parameters, m, v;
  std::vector<std::vector<float>> host_gradients;

  explicit Vectors(std::size_t size)
      : start(random_vector<float>(size, 1)),
        parameters(start),
        m(std::vector<float>(size, 0.0f)),
        v(std::vector<float>(size, 0.0f)) {
    for (int t = 0; t < kSteps; ++t) {
      host_gradients.push_back(random_vector<float>(size, 10 + static_cast<std::uint64_t>(t)));
    }
  }
};

// Adam as its authors write it, in double.
std::vector<double> adam_reference(const Vectors& vectors, const AdamOptions& o) {
  std::vector<double> p = in_double(vectors.start), m(p.size()), v(p.size());
  for (int t = 1; t <= kSteps; ++t) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double g = vectors.host_gradients[t - 1][i];
      m[i] = o.beta1 * m[i] + (1 - double{o.beta1}) * g;
      v[i] = o.beta2 * v[i] + (1 - double{o.beta2}) * g * g;
      const double m_hat = m[i] / (1 - std::pow(o.beta1, t));
      const double v_hat = v[i] / (1 - std::pow(o.beta2, t));
      p[i] -= o.learning_rate * (o.weight_decay * p[i] + m_hat / (std::sqrt(v_hat) + o.epsilon));
    }
  }
  return p;
}

}  // namespace

TEST_CASE("gradient descent with momentum and weight decay, four steps") {
  for (const std::size_t size : kSizes) {
    for (const SgdOptions options :
         {SgdOptions{0.1f}, SgdOptions{0.1f, 0.9f}, SgdOptions{0.05f, 0.5f, 0.01f}}) {
      const Vectors vectors(size);
      std::vector<double> p = in_double(vectors.start), velocity(size);
      for (int t = 0; t < kSteps; ++t) {
        const GuardedVector<float> gradient(vectors.host_gradients[t]);
        sgd_momentum(vectors.parameters.span(), vectors.m.span(), gradient.span(), options);
        CHECK(same_bytes(gradient.read(), vectors.host_gradients[t]));
        for (std::size_t i = 0; i < size; ++i) {
          const double g = vectors.host_gradients[t][i] + options.weight_decay * p[i];
          velocity[i] = options.momentum * velocity[i] + g;
          p[i] -= options.learning_rate * velocity[i];
        }
      }
      check_near(vectors.parameters.read_double(), p, 1e-6, 1e-6);
      check_near(vectors.m.read_double(), velocity, 1e-6, 1e-6);
    }
  }
}

TEST_CASE("Adam with and without weight decay, four steps") {
  for (const std::size_t size : kSizes) {
    for (const AdamOptions options :
         {AdamOptions{}, AdamOptions{.learning_rate = 0.1f, .beta1 = 0.8f, .beta2 = 0.95f},
          AdamOptions{.learning_rate = 0.01f, .epsilon = 1e-3f, .weight_decay = 0.1f}}) {
      const Vectors vectors(size);
      for (int t = 1; t <= kSteps; ++t) {
        const GuardedVector<float> gradient(vectors.host_gradients[t - 1]);
        adam(vectors.parameters.span(), vectors.m.span(), vectors.v.span(), gradient.span(), t,
             options);
        CHECK(same_bytes(gradient.read(), vectors.host_gradients[t - 1]));
      }
      // A step is some learning rates long, and FP32 knows its direction to about 1e-5.
      check_near(vectors.parameters.read_double(), adam_reference(vectors, options), 1e-6,
                 2e-5 * options.learning_rate);
    }
  }
}

TEST_CASE("Adam's first step is the learning rate long, whatever the gradient's size") {
  for (const float size : {1e-3f, 1.0f, 1e3f}) {
    const GuardedVector<float> p(std::vector<float>{1, 1}), m(std::vector<float>{0, 0}),
        v(std::vector<float>{0, 0}), gradient(std::vector<float>{size, -size});
    adam(p.span(), m.span(), v.span(), gradient.span(), 1, {.learning_rate = 0.01f});
    CHECK(p.read()[0] == doctest::Approx(0.99).epsilon(1e-5));
    CHECK(p.read()[1] == doctest::Approx(1.01).epsilon(1e-5));
  }
}

TEST_CASE("the optimisers in passes take the steps of the fused ones") {
  const Vectors fused(5003), passes(5003);
  const AdamOptions options{.learning_rate = 0.01f};
  for (int t = 1; t <= kSteps; ++t) {
    const GuardedVector<float> gradient(fused.host_gradients[t - 1]);
    adam(fused.parameters.span(), fused.m.span(), fused.v.span(), gradient.span(), t, options);
    adam_in_passes(passes.parameters.span(), passes.m.span(), passes.v.span(), gradient.span(), t,
                   options);
  }
  check_near(passes.parameters.read_double(), fused.parameters.read_double(), 1e-6, 1e-6);

  const Vectors sgd(257), sgd_passes(257);
  for (int t = 0; t < kSteps; ++t) {
    const GuardedVector<float> gradient(sgd.host_gradients[t]);
    sgd_momentum(sgd.parameters.span(), sgd.m.span(), gradient.span(), 0.1f, 0.9f);
    sgd_momentum_in_passes(sgd_passes.parameters.span(), sgd_passes.m.span(), gradient.span(), 0.1f,
                           0.9f);
  }
  check_near(sgd_passes.parameters.read_double(), sgd.parameters.read_double(), 1e-6, 1e-6);
}

TEST_CASE("one launch for a vector of tensors takes the steps of a launch for each") {
  constexpr std::size_t size = 1000, first = 300;
  const Vectors whole(size), parts(size);
  for (int t = 1; t <= kSteps; ++t) {
    const GuardedVector<float> gradient(whole.host_gradients[t - 1]);
    adam(whole.parameters.span(), whole.m.span(), whole.v.span(), gradient.span(), t, {});
    for (const auto& [begin, count] : {std::pair{std::size_t{0}, first}, {first, size - first}}) {
      adam(parts.parameters.span().subspan(begin, count), parts.m.span().subspan(begin, count),
           parts.v.span().subspan(begin, count), gradient.span().subspan(begin, count), t, {});
    }
  }
  CHECK(same_bytes(whole.parameters.read(), parts.parameters.read()));
}

TEST_CASE("the optimisers refuse what does not fit") {
  const GuardedVector<float> memory(std::size_t{8});
  const std::span<float> all = memory.span();
  CHECK_THROWS_AS(adam(all, all, all.first(7), all, 1, {}), std::invalid_argument);
  CHECK_THROWS_AS(adam(all, all, all, all, 0, {}), std::invalid_argument);
  CHECK_THROWS_AS(sgd_momentum({}, {}, {}, SgdOptions{0.1f}), std::invalid_argument);
}

}  // namespace tut::ch14::test
