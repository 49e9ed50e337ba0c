#include "16_cnn_trainer/kernels.hpp"

#include "13_convolution/conv2d.hpp"
#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/relu.hpp"
#include "14_layers_and_fusion/softmax_cross_entropy.hpp"

namespace tut::ch16 {

namespace {

void dense(MatrixView<const float> in, MatrixView<const float> weights, const float* bias,
           MatrixView<float> out, std::span<float> scratch, cudaStream_t stream) {
  ch14::dense(in, weights, bias, out, scratch, stream);
}

void dense_relu(MatrixView<const float> in, MatrixView<const float> weights, const float* bias,
                MatrixView<float> out, std::span<float> scratch, cudaStream_t stream) {
  ch14::dense(in, weights, bias, out, scratch, stream);
  const std::span<float> values{
      out.data, static_cast<std::size_t>(out.rows) * static_cast<std::size_t>(out.cols)};
  ch14::relu(values, values, stream);
}

}  // namespace

Kernels reference_kernels() {
  Kernels kernels;
  kernels.conv2d = [](auto in, auto weights, auto bias, auto out, auto options, auto stream) {
    ch13::conv2d(in, weights, bias, out, options, stream);
  };
  kernels.conv2d_backward_input = [](auto d_out, auto weights, auto d_in, auto scratch,
                                     auto options, auto stream) {
    ch13::conv2d_backward_input(d_out, weights, d_in, scratch, options, stream);
  };
  kernels.conv2d_backward_weights = [](auto in, auto d_out, auto d_weights, auto d_bias,
                                       auto scratch, auto options, auto stream) {
    ch13::conv2d_backward_weights(in, d_out, d_weights, d_bias, scratch, options, stream);
  };
  kernels.dense = dense;
  kernels.dense_relu = dense_relu;
  kernels.dense_backward = ch14::dense_backward;
  kernels.softmax_cross_entropy = ch14::softmax_cross_entropy;
  return kernels;
}

}  // namespace tut::ch16
