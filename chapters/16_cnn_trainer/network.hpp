#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "16_cnn_trainer/architecture.hpp"
#include "tut/device_buffer.hpp"
#include "tut/matrix_view.hpp"
#include "tut/tensor_view.hpp"

namespace tut::ch16 {

/// The network of Architecture on the device, made of the kernels of chapters 13 and 14. Owns its
/// parameters, their gradient, and the activations of one batch.
class Network {
 public:
  /// Memory for batches of up to `max_batch` images. The parameters are undefined until they are
  /// copied in.
  explicit Network(int max_batch);

  /// The scores of each image, (N, 10), in device memory; valid until the next call.
  ///
  /// \param images  (N, 1, 28, 28), device memory, N at most max_batch; read only
  /// \param stream  stream that the work is ordered in; the call returns before the work is done
  MatrixView<float> forward(TensorView<const float> images, cudaStream_t stream = nullptr);

  /// Calls forward, then computes each image's loss and the gradient of their mean.
  ///
  /// \param images  (N, 1, 28, 28), device memory, N at most max_batch; read only
  /// \param labels  (N), device memory; read only
  /// \param losses  (N), device memory; overwritten
  /// \param stream  stream that the work is ordered in; the call returns before the work is done
  void backward(TensorView<const float> images, std::span<const std::uint8_t> labels,
                std::span<float> losses, cudaStream_t stream = nullptr);

  DeviceBuffer<float>& parameters() { return parameters_; }
  const DeviceBuffer<float>& parameters() const { return parameters_; }
  const DeviceBuffer<float>& gradient() const { return gradient_; }

 private:
  // A batch's activations or their gradients, in the order in which forward computes them.
  struct Activations {
    explicit Activations(int max_batch);
    DeviceBuffer<float> conv1, relu1, pool1, conv2, relu2, pool2, scores;
  };

  int max_batch_;
  DeviceBuffer<float> parameters_, gradient_;
  Activations values_, gradients_;
  DeviceBuffer<float> scratch_;
};

}  // namespace tut::ch16
