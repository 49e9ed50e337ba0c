#include "16_cnn_trainer/kernel_model.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "14_layers_and_fusion/sgd_momentum.hpp"
#include "16_cnn_trainer/classify.hpp"
#include "16_cnn_trainer/gather_batch.hpp"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {

namespace {

using A = Architecture;

constexpr int kTestBatch = 256;
constexpr std::size_t kLossesKept = 1 << 16;  // in device memory, before they are added up

// Throws before any memory is taken.
int checked_capacity(const data::Split& sets, int max_batch) {
  require_digits(sets);
  require(max_batch >= 1,
          "the largest batch is " + std::to_string(max_batch) + "; expected at least 1");
  return std::max(max_batch, kTestBatch);
}

std::size_t count(int n) { return static_cast<std::size_t>(n); }

}  // namespace

KernelModel::KernelModel(const data::Split& sets, std::uint64_t seed, int max_batch)
    : train_((checked_capacity(sets, max_batch), sets.train)),
      test_(sets.test),
      test_labels_(sets.test.labels),
      network_(checked_capacity(sets, max_batch)),
      velocity_(ParameterLayout::size),
      indices_(count(checked_capacity(sets, max_batch))),
      images_(indices_.size() * A::side * A::side),
      labels_(indices_.size()),
      losses_(std::max(kLossesKept, indices_.size())) {
  network_.parameters().copy_from(initial_parameters(seed), stream_);
  velocity_.fill_bytes(0, stream_);
  stream_.synchronize();
}

std::string KernelModel::name() const {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  return std::string("CUDA kernels on ") + properties.name;
}

TensorView<const float> KernelModel::gather(const DeviceSet& set, std::span<const int> indices) {
  const int n = static_cast<int>(indices.size());
  if (indices.empty() || indices.size() > indices_.size()) {
    require(false, "the batch has " + std::to_string(indices.size()) + " images; expected 1 to " +
                       std::to_string(indices_.size()));
  }
  check(cudaMemcpyAsync(indices_.data(), indices.data(), indices.size_bytes(),
                        cudaMemcpyHostToDevice, stream_));
  const TensorView<const std::uint8_t> pixels{set.pixels.data(), set.size, 1, A::side, A::side};
  const TensorView<float> batch{images_.data(), n, 1, A::side, A::side};
  gather_batch(pixels, {set.labels.data(), set.labels.size()}, {indices_.data(), indices.size()},
               batch, {labels_.data(), indices.size()}, stream_);
  return batch;
}

void KernelModel::train_batch(std::span<const int> indices, Step step) {
  const TensorView<const float> batch = gather(train_, indices);
  if (pending_ + indices.size() > losses_.size()) drain_losses();
  network_.backward(batch, {labels_.data(), indices.size()},
                    {losses_.data() + pending_, indices.size()}, stream_);
  pending_ += indices.size();
  DeviceBuffer<float>& parameters = network_.parameters();
  ch14::sgd_momentum({parameters.data(), parameters.size()}, {velocity_.data(), velocity_.size()},
                     {network_.gradient().data(), network_.gradient().size()}, step.learning_rate,
                     step.momentum, stream_);
}

void KernelModel::drain_losses() {
  std::vector<float> losses(pending_);
  if (pending_ > 0) {
    check(cudaMemcpyAsync(losses.data(), losses_.data(), pending_ * sizeof(float),
                          cudaMemcpyDeviceToHost, stream_));
  }
  stream_.synchronize();
  loss_.sum = std::accumulate(losses.begin(), losses.end(), loss_.sum);
  loss_.images += pending_;
  pending_ = 0;
}

LossSum KernelModel::take_loss() {
  drain_losses();
  return std::exchange(loss_, {});
}

std::size_t KernelModel::count_correct() {
  DeviceBuffer<std::uint8_t> answers(test_labels_.size());
  std::vector<int> indices(count(kTestBatch));
  for (int first = 0; first < test_.size; first += kTestBatch) {
    const int n = std::min(kTestBatch, test_.size - first);
    std::iota(indices.begin(), indices.end(), first);
    const auto scores = network_.forward(gather(test_, {indices.data(), count(n)}), stream_);
    classify(scores, {answers.data() + first, count(n)}, stream_);
  }
  const std::vector<std::uint8_t> got = answers.to_host(stream_);
  return static_cast<std::size_t>(std::inner_product(got.begin(), got.end(), test_labels_.begin(),
                                                     0, std::plus<>(), std::equal_to<>()));
}

std::vector<float> KernelModel::parameters() const {
  return network_.parameters().to_host(stream_);
}

}  // namespace tut::ch16
