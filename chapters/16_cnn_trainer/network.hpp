/// \file
/// A network of layers on the device, made of the kernels of chapters 13 and 14.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "16_cnn_trainer/kernels.hpp"
#include "16_cnn_trainer/network_spec.hpp"
#include "tut/device_buffer.hpp"
#include "tut/matrix_view.hpp"
#include "tut/tensor_view.hpp"

namespace tut::ch16 {

/// What activations and weights are while they are multiplied. Sums and the optimiser are FP32.
enum class NumberFormat {
  fp32,  ///< FP32 on CUDA cores
  tf32,  ///< TF32 activations and weights on tensor cores: FP32's range and memory
  fp16,  ///< FP16 likewise, in half the memory; needs a loss scale
  bf16   ///< bfloat16 likewise; its range is FP32's
};

/// "fp32", "tf32", "fp16", "bf16".
std::string_view to_string(NumberFormat format);

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
  ~Network();
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;

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

  const NetworkSpec& spec() const;
  NumberFormat format() const;
  DeviceBuffer<float>& parameters();
  const DeviceBuffer<float>& parameters() const;
  DeviceBuffer<float>& gradient();
  const DeviceBuffer<float>& gradient() const;
  /// Running statistics of batch norm.
  DeviceBuffer<float>& state();
  const DeviceBuffer<float>& state() const;

 private:
  class Impl;
  template <class T>
  class Typed;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tut::ch16
