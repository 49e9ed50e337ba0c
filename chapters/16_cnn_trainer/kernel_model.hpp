#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "16_cnn_trainer/model.hpp"
#include "16_cnn_trainer/network.hpp"
#include "tut/device_buffer.hpp"
#include "tut/stream.hpp"

namespace tut::ch16 {

/// The network in CUDA kernels. Both sets live in device memory, batches are picked there, and
/// nothing waits for the device between one step and the next.
class KernelModel : public Model {
 public:
  /// Copies both sets to the device. Throws std::invalid_argument as require_digits does, or if
  /// max_batch is below 1, and CudaError.
  KernelModel(const data::Split& sets, std::uint64_t seed, int max_batch);

  std::string name() const override;
  void train_batch(std::span<const int> indices, Step step) override;
  LossSum take_loss() override;
  std::size_t count_correct() override;
  std::vector<float> parameters() const override;

 private:
  // A data set in device memory.
  struct DeviceSet {
    explicit DeviceSet(const data::Dataset& set)
        : pixels(set.images), labels(set.labels), size(static_cast<int>(set.size())) {}
    DeviceBuffer<std::uint8_t> pixels, labels;
    int size;
  };

  // Copies the images named by `indices` into images_ and labels_.
  TensorView<const float> gather(const DeviceSet& set, std::span<const int> indices);
  void drain_losses();

  DeviceSet train_, test_;
  std::vector<std::uint8_t> test_labels_;
  Network network_;
  DeviceBuffer<float> velocity_;
  DeviceBuffer<int> indices_;
  DeviceBuffer<float> images_;
  DeviceBuffer<std::uint8_t> labels_;
  DeviceBuffer<float> losses_;  // of the images since the last drain, `pending_` of them
  std::size_t pending_ = 0;
  LossSum loss_;
  Stream stream_;
};

}  // namespace tut::ch16
