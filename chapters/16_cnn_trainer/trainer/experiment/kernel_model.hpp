#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "12_mixed_precision/loss_scaler.hpp"
#include "16_cnn_trainer/augment.hpp"
#include "16_cnn_trainer/trainer/checkpoint/checkpoint.hpp"
#include "16_cnn_trainer/trainer/experiment/model.hpp"
#include "16_cnn_trainer/trainer/experiment/train_options.hpp"
#include "16_cnn_trainer/trainer/formats/fp32_kernels.hpp"
#include "16_cnn_trainer/trainer/network/network.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"

namespace tut::ch16 {

/// A network in CUDA kernels. Both sets live in device memory, batches are picked there, and
/// nothing waits for the device between one step and the next.
class KernelModel : public Model {
 public:
  /// Copies both sets to the device; the parameters are initial_parameters(spec, options.seed).
  /// Errors: NetworkError if the network does not fit the images; std::invalid_argument for a
  /// network that the number format has no layers for, and for Optimiser::lion if `kernels` has no
  /// such kernel; CudaError.
  KernelModel(const data::Split& sets, const NetworkSpec& spec, const TrainOptions& options,
              const Kernels& kernels = reference_kernels());

  std::string name() const override;
  void train_batch(std::span<const int> indices, const Step& step) override;
  LossSum take_loss() override;
  std::vector<std::uint8_t> predict() override;
  std::vector<float> parameters() const override;

  /// Adds all that the next step depends on.
  void save(Checkpoint& checkpoint) const;
  /// Goes on from there. Errors: CheckpointError if an array that the optimiser needs is missing.
  void restore(const Checkpoint& checkpoint, const std::string& file);

  /// The loss scaler's state; nothing without one.
  std::optional<ch12::LossScale> loss_scale() const;

 private:
  // A data set in device memory.
  struct DeviceSet {
    explicit DeviceSet(const data::Dataset& set)
        : pixels(set.images), labels(set.labels), size(static_cast<int>(set.size())) {}
    DeviceBuffer<std::uint8_t> pixels, labels;
    int size;
  };

  // Copies the images named by `indices` into images_ and labels_, moved at random if there is a
  // key.
  TensorView<const float> gather(const DeviceSet& set, std::span<const int> indices,
                                 std::optional<AugmentKey> moves);
  void add_gradients(std::span<const int> indices, const Step& step);
  void update(std::span<const float> gradient, const Step& step);
  void drain_losses();
  const float* scale() const { return scaler_ ? scaler_->scale() : nullptr; }

  TrainOptions options_;
  Kernels kernels_;
  DeviceSet train_, test_;
  ImageShape image_;
  Network network_;
  std::optional<ch12::LossScaler> scaler_;
  DeviceBuffer<float> sum_;             // of gradients, where a step has several batches
  DeviceBuffer<float> first_, second_;  // moments; velocity is the first
  DeviceBuffer<int> indices_;
  DeviceBuffer<float> images_;
  DeviceBuffer<std::uint8_t> labels_;
  DeviceBuffer<float> losses_;  // of the images since the last drain, `pending_` of them
  std::size_t pending_ = 0;
  LossSum loss_;
  Stream stream_;
};

}  // namespace tut::ch16
