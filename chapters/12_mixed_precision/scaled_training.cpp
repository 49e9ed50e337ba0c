#include "12_mixed_precision/scaled_training.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "12_mixed_precision/least_squares.hpp"
#include "12_mixed_precision/loss_scaler.hpp"
#include "12_mixed_precision/sgd_master_weights.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/random.hpp"

namespace tut::ch12 {
namespace {

constexpr int ROWS = 64, WEIGHTS = 16;
constexpr float LEARNING_RATE = 1.0f, MOMENTUM = 0.5f;

HostMatrix<float> inputs() {
  HostMatrix<float> x(ROWS, WEIGHTS);
  fill_uniform(x, 31);
  return x;
}

/// y = X w for weights of about 10^-8, which are what the training is to find.
std::vector<float> targets(const HostMatrix<float>& x) {
  std::vector<float> y;
  for (int r = 0; r < ROWS; ++r) {
    float sum = 0.0f;
    for (int c = 0; c < WEIGHTS; ++c) {
      const auto index = static_cast<std::uint64_t>(c);
      sum = std::fma(x(r, c), random_uniform(32, index, -0x1p-26f, 0x1p-26f), sum);
    }
    y.push_back(sum);
  }
  return y;
}

double length(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}

}  // namespace

ScaledTraining train_with_half_gradients(const LossScalePolicy& policy, int steps) {
  const HostMatrix<float> host_x = inputs();
  const std::vector<float> host_y = targets(host_x);
  const DeviceMatrix<float> x(host_x);
  const DeviceBuffer<float> y(host_y);
  const std::vector<float> zeros(WEIGHTS, 0.0f);
  const DeviceBuffer<float> weights(zeros), velocity(zeros), unscaled(zeros), residual(host_y);
  const DeviceBuffer<half> gradient(WEIGHTS);
  const auto all = [](const auto& buffer) { return std::span(buffer.data(), buffer.size()); };

  LossScaler scaler(policy);
  for (int step = 0; step < steps; ++step) {
    //! [step]
    least_squares_gradient(x.cview(), all(weights), all(y), scaler.scale(), all(residual),
                           all(gradient));
    scaler.unscale(all(gradient), all(unscaled));
    sgd_master_weights(all(weights), all(velocity), all(unscaled), {}, scaler.state(),
                       LEARNING_RATE, MOMENTUM);
    scaler.update();
    //! [step]
  }
  least_squares_gradient(x.cview(), all(weights), all(y), scaler.scale(), all(residual),
                         all(gradient));
  return {length(residual.to_host()) / length(host_y), scaler.read()};
}

}  // namespace tut::ch12
