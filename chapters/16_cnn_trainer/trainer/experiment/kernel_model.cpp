#include "16_cnn_trainer/trainer/experiment/kernel_model.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "14_layers_and_fusion/adam.hpp"
#include "14_layers_and_fusion/sgd_momentum.hpp"
#include "16_cnn_trainer/add_weighted.hpp"
#include "16_cnn_trainer/classify.hpp"
#include "16_cnn_trainer/gather_batch.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch16 {

namespace {

constexpr int kTestBatch = 256;
constexpr std::size_t kLossesKept = 1 << 16;  // in device memory, before they are added up

std::size_t count(int n) { return static_cast<std::size_t>(n); }

template <class T>
std::span<T> all(const DeviceBuffer<T>& buffer) {
  return {buffer.data(), buffer.size()};
}

// Throws before any memory is taken.
const NetworkSpec& checked(const NetworkSpec& spec, const data::Split& sets,
                           const TrainOptions& options, const Kernels& kernels) {
  require_options(options, sets);
  require(options.optimiser != Optimiser::lion || kernels.lion,
          "the optimiser is lion, which the course has no kernel of; expected one of your own");
  for (const data::Dataset* set : {&sets.train, &sets.test}) {
    require(set->size() > 0, "a data set has no images; expected some");
    require_classifier(spec, {1, set->rows, set->cols}, set->classes);
  }
  return spec;
}

std::optional<ch12::LossScaler> make_scaler(const TrainOptions& options) {
  if (options.format != NumberFormat::fp16) return std::nullopt;
  if (options.loss_scale == 0) return ch12::LossScaler();
  return ch12::LossScaler(ch12::LossScalePolicy::fixed(options.loss_scale));
}

}  // namespace

KernelModel::KernelModel(const data::Split& sets, const NetworkSpec& spec,
                         const TrainOptions& options, const Kernels& kernels)
    : options_(options),
      kernels_(kernels),
      train_((checked(spec, sets, options, kernels), sets.train)),
      test_(sets.test),
      image_(spec.input),
      network_(spec, std::max(options.batch, kTestBatch), options.format, kernels),
      scaler_(make_scaler(options)),
      sum_(options.accumulate > 1 ? spec.parameters : 0),
      first_(spec.parameters),
      second_(options.optimiser == Optimiser::adam ? spec.parameters : 0),
      indices_(std::max(options.images_a_step(), count(kTestBatch))),
      images_(count(std::max(options.batch, kTestBatch)) * spec.input.size()),
      labels_(count(std::max(options.batch, kTestBatch))),
      losses_(std::max(kLossesKept, options.images_a_step())) {
  network_.parameters().copy_from(initial_parameters(spec, options.seed), stream_);
  network_.refresh(stream_);
  first_.fill_bytes(0, stream_);
  second_.fill_bytes(0, stream_);
  stream_.synchronize();
}

std::string KernelModel::name() const {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  return std::string("CUDA kernels on ") + properties.name;
}

TensorView<const float> KernelModel::gather(const DeviceSet& set, std::span<const int> indices,
                                            std::optional<AugmentKey> moves) {
  const auto n = static_cast<int>(indices.size());
  const TensorView<const std::uint8_t> pixels{set.pixels.data(), set.size, 1, image_.rows,
                                              image_.cols};
  const TensorView<float> batch{images_.data(), n, 1, image_.rows, image_.cols};
  const std::span<std::uint8_t> labels{labels_.data(), indices.size()};
  if (moves) {
    augment(pixels, all(set.labels), indices, batch, labels, *moves, {}, stream_);
  } else {
    gather_batch(pixels, all(set.labels), indices, batch, labels, stream_);
  }
  return batch;
}

void KernelModel::train_batch(std::span<const int> indices, const Step& step) {
  if (indices.empty() || indices.size() > options_.images_a_step()) {
    require(false,
            {"the step has ", indices.size(), " images; expected 1 to ", options_.images_a_step()});
  }
  if (pending_ + indices.size() > losses_.size()) drain_losses();
  check(cudaMemcpyAsync(indices_.data(), indices.data(), indices.size_bytes(),
                        cudaMemcpyHostToDevice, stream_));
  add_gradients({indices_.data(), indices.size()}, step);
  update(sum_.size() > 0 ? all(sum_) : all(network_.gradient()), step);
}

// `indices` is in device memory.
void KernelModel::add_gradients(std::span<const int> indices, const Step& step) {
  std::optional<AugmentKey> moves;
  if (options_.augment) moves = AugmentKey{options_.seed, step.epoch};
  for (std::size_t begin = 0; begin < indices.size(); begin += count(options_.batch)) {
    const std::size_t size = std::min(count(options_.batch), indices.size() - begin);
    const auto batch = gather(train_, indices.subspan(begin, size), moves);
    // Batches of one step drop other elements, too.
    const StepKey key{options_.seed,
                      step.number * count(options_.accumulate) + begin / count(options_.batch)};
    network_.backward(batch, {labels_.data(), size}, {losses_.data() + pending_, size}, key,
                      scale(), stream_);
    pending_ += size;
    //! [accumulate]
    if (sum_.size() == 0) continue;
    const float share = static_cast<float>(size) / static_cast<float>(indices.size());
    add_weighted(all(network_.gradient()), share, begin == 0, all(sum_), stream_);
    //! [accumulate]
  }
}

void KernelModel::update(std::span<const float> gradient, const Step& step) {
  const ch12::LossScale* scale = nullptr;
  if (scaler_) {
    scaler_->check(gradient, stream_);
    scale = scaler_->state();
  }
  const std::span<float> parameters = all(network_.parameters());
  switch (options_.optimiser) {
    case Optimiser::sgd:
      ch14::sgd_momentum(parameters, all(first_), gradient,
                         {step.learning_rate, step.momentum, step.weight_decay}, scale, stream_);
      break;
    case Optimiser::adam: {
      ch14::AdamOptions adam;
      adam.learning_rate = step.learning_rate;
      adam.weight_decay = step.weight_decay;
      ch14::adam(parameters, all(first_), all(second_), gradient, static_cast<int>(step.number) + 1,
                 adam, scale, stream_);
      break;
    }
    case Optimiser::lion: {
      ch14::LionOptions lion;
      lion.learning_rate = step.learning_rate;
      lion.weight_decay = step.weight_decay;
      kernels_.lion(parameters, all(first_), gradient, lion, stream_);
      break;
    }
  }
  if (scaler_) scaler_->update(stream_);
  network_.refresh(stream_);
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

std::vector<std::uint8_t> KernelModel::predict() {
  DeviceBuffer<std::uint8_t> predictions(count(test_.size));
  std::vector<int> indices(count(kTestBatch));
  for (int first = 0; first < test_.size; first += kTestBatch) {
    const int n = std::min(kTestBatch, test_.size - first);
    std::iota(indices.begin(), indices.end(), first);
    check(cudaMemcpyAsync(indices_.data(), indices.data(), count(n) * sizeof(int),
                          cudaMemcpyHostToDevice, stream_));
    const auto batch = gather(test_, {indices_.data(), count(n)}, std::nullopt);
    classify(network_.forward(batch, stream_), {predictions.data() + first, count(n)}, stream_);
  }
  return predictions.to_host(stream_);
}

std::vector<float> KernelModel::parameters() const {
  return network_.parameters().to_host(stream_);
}

std::optional<ch12::LossScale> KernelModel::loss_scale() const {
  if (!scaler_) return std::nullopt;
  return scaler_->read(stream_);
}

void KernelModel::save(Checkpoint& checkpoint) const {
  using C = Checkpoint;
  checkpoint.network = to_text(network_.spec());
  checkpoint.arrays.push_back({std::string(C::kParameters), parameters()});
  checkpoint.arrays.push_back({std::string(C::kFirstMoment), first_.to_host(stream_)});
  if (second_.size() > 0) {
    checkpoint.arrays.push_back({std::string(C::kSecondMoment), second_.to_host(stream_)});
  }
  if (network_.spec().state > 0) {
    checkpoint.arrays.push_back({std::string(C::kState), network_.state().to_host(stream_)});
  }
  if (const auto scale = loss_scale()) {
    checkpoint.scale = scale->scale;
    checkpoint.good_steps = static_cast<std::uint64_t>(scale->good_steps);
    checkpoint.skipped = static_cast<std::uint64_t>(scale->skipped_steps);
  }
}

void KernelModel::restore(const Checkpoint& checkpoint, const std::string& file) {
  using C = Checkpoint;
  const auto copy = [&](DeviceBuffer<float>& to, std::string_view name) {
    if (to.size() == 0) return;
    const std::vector<float>* from = checkpoint.find(name);
    if (from == nullptr || from->size() != to.size()) {
      throw CheckpointError(file + ": the checkpoint has no " + std::string(name) + " of " +
                            std::to_string(to.size()) +
                            " values; expected one, for this optimiser");
    }
    to.copy_from(*from, stream_);
  };
  require_made_by(checkpoint, network_.spec(), file);
  copy(network_.parameters(), C::kParameters);
  copy(first_, C::kFirstMoment);
  copy(second_, C::kSecondMoment);
  copy(network_.state(), C::kState);
  if (scaler_) {
    scaler_->restore(checkpoint.scale, static_cast<int>(checkpoint.good_steps),
                     static_cast<int>(checkpoint.skipped), stream_);
  }
  network_.refresh(stream_);
  stream_.synchronize();
}

}  // namespace tut::ch16
