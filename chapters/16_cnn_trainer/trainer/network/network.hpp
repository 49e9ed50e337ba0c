/// \file
/// A network of layers on the device, made of the kernels of chapters 13 and 14.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "16_cnn_trainer/trainer/formats/number_format.hpp"
#include "16_cnn_trainer/trainer/network/network_spec.hpp"
#include "16_cnn_trainer/trainer/network/stage.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch16 {

/// What the random numbers of a training step depend on.
struct StepKey {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
};

/// Owns the parameters, their gradient, and the activations of one batch. Move-only.
class Network {
 public:
  /// Memory for batches of up to `max_batch` images. The parameters are undefined until they are
  /// copied in and refresh() has been called; the state is initial_state(spec). In FP32 the network
  /// computes with `kernels`; 16 bits have kernels of their own for all but the loss.
  /// Errors: std::invalid_argument if max_batch is below 1; CudaError.
  Network(const NetworkSpec& spec, int max_batch, NumberFormat format = NumberFormat::fp32,
          const Kernels& kernels = reference_kernels());

  /// The scores of each image, (N, classes), in device memory; valid until the next call. Nothing
  /// is dropped, and batch norm uses its running statistics.
  ///
  /// \param images  (N, C, H, W), device memory, N at most max_batch; read only
  /// \param stream  stream that the work is ordered in; the call returns before the work is done
  MatrixView<const float> forward(TensorView<const float> images, cudaStream_t stream = nullptr);

  /// Forward as in training, then each image's loss and the gradient of their mean.
  ///
  /// \param images      (N, C, H, W), device memory, N at most max_batch; read only
  /// \param labels      (N), device memory; read only
  /// \param losses      (N), device memory; overwritten
  /// \param key         names the dropout masks
  /// \param loss_scale  one float in device memory that the gradient is multiplied by, or null
  /// \param stream      stream that the work is ordered in; the call returns before the work is
  ///                    done
  void backward(TensorView<const float> images, std::span<const std::uint8_t> labels,
                std::span<float> losses, StepKey key, const float* loss_scale = nullptr,
                cudaStream_t stream = nullptr);

  /// To be called after the parameters have changed: rounds them to the network's format.
  void refresh(cudaStream_t stream = nullptr);

  const NetworkSpec& spec() const { return spec_; }
  NumberFormat format() const { return format_; }
  DeviceBuffer<float>& parameters() { return parameters_; }
  const DeviceBuffer<float>& parameters() const { return parameters_; }
  DeviceBuffer<float>& gradient() { return gradient_; }
  const DeviceBuffer<float>& gradient() const { return gradient_; }
  /// Running statistics of batch norm.
  DeviceBuffer<float>& state() { return state_; }
  const DeviceBuffer<float>& state() const { return state_; }

 private:
  // A pass over these images; throws std::invalid_argument unless the network can take them.
  Pass pass_of(TensorView<const float> images, cudaStream_t stream) const;

  NetworkSpec spec_;
  int max_batch_;
  NumberFormat format_;
  DeviceBuffer<float> parameters_, gradient_, state_;
  Plan plan_;
  DeviceBuffer<float> scratch_;
};

}  // namespace tut::ch16
