#include "16_cnn_trainer/architecture.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "tut/data/counter_random.hpp"

namespace tut::ch16 {

namespace {

// Streams of random numbers: one for the parameters, then one for each epoch's order.
constexpr std::uint64_t kParameterStream = 0;
constexpr std::uint64_t kFirstOrderStream = 1;

void fill(float* weights, std::size_t count, int fan_in, data::CounterRandom& random) {
  const float bound = std::sqrt(6.0f / static_cast<float>(fan_in));
  for (std::size_t i = 0; i < count; ++i) weights[i] = (2.0f * random.uniform() - 1.0f) * bound;
}

}  // namespace

std::vector<float> initial_parameters(std::uint64_t seed) {
  using A = Architecture;
  using L = ParameterLayout;
  data::CounterRandom random(seed, kParameterStream);
  std::vector<float> parameters(L::size, 0.0f);
  fill(&parameters[L::conv1_weights], L::conv1_bias - L::conv1_weights, A::taps, random);
  fill(&parameters[L::conv2_weights], L::conv2_bias - L::conv2_weights, A::channels1 * A::taps,
       random);
  fill(&parameters[L::dense_weights], L::dense_bias - L::dense_weights, A::features, random);
  return parameters;
}

std::vector<int> epoch_order(std::size_t count, std::uint64_t seed, int epoch) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  //! [order]
  data::CounterRandom random(seed, kFirstOrderStream + static_cast<std::uint64_t>(epoch));
  for (std::size_t i = count; i > 1; --i) {
    const int other = random.below(static_cast<int>(i));
    std::swap(order[i - 1], order[static_cast<std::size_t>(other)]);
  }
  //! [order]
  return order;
}

}  // namespace tut::ch16
