/// \file
/// Batch norm of one layer in FP32 and in planes: what the stages of every number format call.
#pragma once

#include <cstddef>

#include "14_layers_and_fusion/batch_norm.hpp"
#include "16_cnn_trainer/stage.hpp"
#include "tut/device_buffer.hpp"
#include "tut/tensor_view.hpp"

namespace tut::ch16 {

/// Images in planes, NCHW.
template <class U>
TensorView<U> planes(U* data, int n, const ImageShape& shape) {
  return {data, n, shape.channels, shape.rows, shape.cols};
}

class BatchNormLayer {
 public:
  template <class T>
  BatchNormLayer(const Layer& layer, const ParameterVectors<T>& all)
      : channels_(static_cast<std::size_t>(layer.in.channels)),
        scale_(all.master + layer.weights.begin),
        shift_(all.master + layer.bias.begin),
        d_scale_(all.gradient + layer.weights.begin),
        d_shift_(all.gradient + layer.bias.begin),
        mean_(all.state + layer.mean.begin),
        variance_(all.state + layer.variance.begin),
        batch_(2 * channels_) {}

  void forward(TensorView<const float> in, TensorView<float> out, const Pass& pass) const {
    if (pass.training) {
      ch14::batch_norm(in, scale_, shift_, state(), out, {}, pass.stream);
    } else {
      ch14::batch_norm_inference(in, scale_, shift_, state(), out, {}, pass.stream);
    }
  }
  /// `d_in` may be `d_out`.
  void backward(TensorView<const float> in, TensorView<const float> d_out, TensorView<float> d_in,
                const Pass& pass) const {
    ch14::batch_norm_backward(in, d_out, scale_, state(), d_in, d_scale_, d_shift_, pass.stream);
  }

 private:
  ch14::BatchNormState state() const {
    return {mean_, variance_, batch_.data(), batch_.data() + channels_};
  }

  std::size_t channels_;
  const float *scale_, *shift_;
  float *d_scale_, *d_shift_, *mean_, *variance_;
  DeviceBuffer<float> batch_;  // mean and inverse deviation of the last batch
};

}  // namespace tut::ch16
