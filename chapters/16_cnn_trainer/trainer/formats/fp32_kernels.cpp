#include "16_cnn_trainer/trainer/formats/fp32_kernels.hpp"

#include "13_convolution/conv2d.hpp"
#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "14_layers_and_fusion/conv2d_bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/conv2d_bias_relu_max_pool_backward.hpp"
#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/relu.hpp"
#include "14_layers_and_fusion/softmax_cross_entropy.hpp"
#include "16_cnn_trainer/trainer/formats/elementwise.hpp"

namespace tut::ch16 {

namespace {

void dense(const Dense& layer, const Pass& pass) {
  const std::size_t wanted =
      ch14::dense_scratch(pass.images, layer.input_count(), layer.layer.outputs);
  const bool enough = wanted <= pass.scratch.size();
  ch14::dense(layer.inputs(pass), layer.weight_rows(), layer.bias, layer.outputs(pass),
              enough ? pass.scratch.first(wanted) : std::span<float>{}, pass.stream);
}

}  // namespace

Kernels reference_kernels() {
  Kernels kernels;
  //! [bind]
  kernels.conv2d = [](const Convolution& c) -> Launch {
    return [c](const Pass& pass) {
      ch13::conv2d(c.images(pass), c.filters(), c.bias, c.outputs(pass), c.options(), pass.stream);
    };
  };
  //! [bind]
  kernels.conv2d_bias_relu_max_pool = [](const PooledConvolution& c) -> Launch {
    return [c](const Pass& pass) {
      ch14::conv2d_bias_relu_max_pool(c.images(pass), c.filters(), c.bias, c.pooled_outputs(pass),
                                      c.all_winners(pass), c.layer.padding, pass.stream);
    };
  };
  kernels.conv2d_backward_input = [](const Convolution& c) -> Launch {
    return [c](const Pass& pass) {
      ch13::conv2d_backward_input(c.d_outputs(pass), c.filters(), c.d_images(pass), pass.scratch,
                                  c.options(), pass.stream);
    };
  };
  kernels.conv2d_backward_weights = [](const Convolution& c) -> Launch {
    return [c](const Pass& pass) {
      ch13::conv2d_backward_weights(c.images(pass), c.d_outputs(pass), c.d_filters(), c.d_bias,
                                    {pass.scratch, c.counters}, c.options(), pass.stream);
    };
  };
  kernels.conv2d_bias_relu_max_pool_backward_weights = [](const PooledConvolution& c) -> Launch {
    return [c](const Pass& pass) {
      ch14::conv2d_bias_relu_max_pool_backward_weights(
          c.images(pass), c.all_winners(pass), c.d_pooled_outputs(pass), c.d_filters(), c.d_bias,
          {pass.scratch, c.counters}, c.layer.padding, pass.stream);
    };
  };
  kernels.dense = [](const Dense& d) -> Launch {
    return [d](const Pass& pass) { dense(d, pass); };
  };
  kernels.dense_relu = [](const Dense& d) -> Launch {
    return [d](const Pass& pass) {
      dense(d, pass);
      const std::span<float> out = values(d.out, pass.images, d.layer.out);
      ch14::relu(out, out, pass.stream);
    };
  };
  kernels.dense_backward = [](const Dense& d) -> Launch {
    return [d](const Pass& pass) {
      ch14::dense_backward(d.inputs(pass), d.weight_rows(), d.d_outputs(pass), d.d_inputs(pass),
                           d.d_weight_rows(), d.d_bias, pass.stream);
    };
  };
  kernels.softmax_cross_entropy = [](const Scores& s) -> Launch {
    return [s](const Pass& pass) {
      ch14::softmax_cross_entropy(s.rows(pass), pass.labels, pass.losses, s.d_rows(pass),
                                  pass.stream);
    };
  };
  kernels.relu = [](const Stage<float>& stage, int) { return relu(stage); };
  return kernels;
}

}  // namespace tut::ch16
