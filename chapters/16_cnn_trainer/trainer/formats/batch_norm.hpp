/// \file
/// Batch norm of one layer in FP32 and in planes: what every number format calls.
#pragma once

#include <cstddef>

#include "14_layers_and_fusion/batch_norm.hpp"
#include "16_cnn_trainer/trainer/network/stage.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch16 {

class BatchNorm {
 public:
  BatchNorm(const Layer& layer, const ParameterVectors& all, Memory& memory)
      : scale_(all.master + layer.weights.begin),
        shift_(all.master + layer.bias.begin),
        d_scale_(all.gradient + layer.weights.begin),
        d_shift_(all.gradient + layer.bias.begin),
        state_{all.state + layer.mean.begin, all.state + layer.variance.begin,
               memory.take<float>(layer.mean.size), memory.take<float>(layer.variance.size)} {}

  void forward(TensorView<const float> in, TensorView<float> out, const Pass& pass) const {
    if (pass.training) {
      ch14::batch_norm(in, scale_, shift_, state_, out, {}, pass.stream);
    } else {
      ch14::batch_norm_inference(in, scale_, shift_, state_, out, {}, pass.stream);
    }
  }
  /// `d_in` may be `d_out`.
  void backward(TensorView<const float> in, TensorView<const float> d_out, TensorView<float> d_in,
                const Pass& pass) const {
    ch14::batch_norm_backward(in, d_out, scale_, state_, d_in, d_scale_, d_shift_, pass.stream);
  }

 private:
  const float *scale_, *shift_;
  float *d_scale_, *d_shift_;
  ch14::BatchNormState state_;
};

}  // namespace tut::ch16
