#include "16_cnn_trainer/network.hpp"

#include <algorithm>
#include <string>

#include "13_convolution/conv2d.hpp"
#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/max_pool.hpp"
#include "14_layers_and_fusion/relu.hpp"
#include "14_layers_and_fusion/softmax_cross_entropy.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {

namespace {

using A = Architecture;
using L = ParameterLayout;

constexpr int kConv1Size = A::channels1 * A::conv1_side * A::conv1_side;
constexpr int kPool1Size = A::channels1 * A::pool1_side * A::pool1_side;
constexpr int kConv2Size = A::channels2 * A::conv2_side * A::conv2_side;

std::size_t times(int batch, int size) { return static_cast<std::size_t>(batch) * size; }

// The layers' tensors for a batch of n.
TensorView<float> conv1_view(float* data, int n) {
  return {data, n, A::channels1, A::conv1_side, A::conv1_side};
}
TensorView<float> pool1_view(float* data, int n) {
  return {data, n, A::channels1, A::pool1_side, A::pool1_side};
}
TensorView<float> conv2_view(float* data, int n) {
  return {data, n, A::channels2, A::conv2_side, A::conv2_side};
}
TensorView<float> pool2_view(float* data, int n) {
  return {data, n, A::channels2, A::pool2_side, A::pool2_side};
}
MatrixView<float> features_view(float* data, int n) { return {data, n, A::features, A::features}; }
MatrixView<float> scores_view(float* data, int n) { return {data, n, A::classes, A::classes}; }

// The weights, in the vector of all parameters or of their gradient.
TensorView<float> weights1_view(float* all) {
  return {all + L::conv1_weights, A::channels1, 1, A::filter, A::filter};
}
TensorView<float> weights2_view(float* all) {
  return {all + L::conv2_weights, A::channels2, A::channels1, A::filter, A::filter};
}
MatrixView<float> dense_view(float* all) {
  return {all + L::dense_weights, A::classes, A::features, A::features};
}

std::span<float> elements(TensorView<float> view) {
  return {view.data, static_cast<std::size_t>(view.size())};
}

std::size_t scratch_size(int n) {
  const TensorView<const float> weights1 = weights1_view(nullptr);
  const TensorView<const float> weights2 = weights2_view(nullptr);
  return std::max({ch13::conv2d_backward_weights_scratch(conv1_view(nullptr, n), weights1),
                   ch13::conv2d_backward_weights_scratch(conv2_view(nullptr, n), weights2),
                   ch13::conv2d_backward_input_scratch(conv2_view(nullptr, n), weights2)});
}

// A group of images takes less scratch memory than the few left over: ask for every remainder.
std::size_t largest_scratch_size(int max_batch) {
  std::size_t largest = 0;
  for (int n = std::max(1, max_batch - 7); n <= max_batch; ++n) {
    largest = std::max(largest, scratch_size(n));
  }
  return largest;
}

}  // namespace

Network::Activations::Activations(int max_batch)
    : conv1(times(max_batch, kConv1Size)),
      relu1(times(max_batch, kConv1Size)),
      pool1(times(max_batch, kPool1Size)),
      conv2(times(max_batch, kConv2Size)),
      relu2(times(max_batch, kConv2Size)),
      pool2(times(max_batch, A::features)),
      scores(times(max_batch, A::classes)) {}

Network::Network(int max_batch)
    : max_batch_(max_batch),
      parameters_(L::size),
      gradient_(L::size),
      values_(max_batch),
      gradients_(max_batch),
      scratch_(largest_scratch_size(max_batch)) {}

MatrixView<float> Network::forward(TensorView<const float> images, cudaStream_t stream) {
  const int n = images.n;
  if (n < 1 || n > max_batch_) {
    require(false, "the batch has " + std::to_string(n) + " images; expected 1 to " +
                       std::to_string(max_batch_));
  }
  float* p = parameters_.data();
  const auto conv1 = conv1_view(values_.conv1.data(), n);
  const auto relu1 = conv1_view(values_.relu1.data(), n);
  const auto pool1 = pool1_view(values_.pool1.data(), n);
  const auto conv2 = conv2_view(values_.conv2.data(), n);
  const auto relu2 = conv2_view(values_.relu2.data(), n);
  const auto scores = scores_view(values_.scores.data(), n);
  ch13::conv2d(images, weights1_view(p), p + L::conv1_bias, conv1, stream);
  ch14::relu(elements(conv1), elements(relu1), stream);
  ch14::max_pool(relu1, pool1, stream);
  ch13::conv2d(pool1, weights2_view(p), p + L::conv2_bias, conv2, stream);
  ch14::relu(elements(conv2), elements(relu2), stream);
  ch14::max_pool(relu2, pool2_view(values_.pool2.data(), n), stream);
  ch14::dense(features_view(values_.pool2.data(), n), dense_view(p), p + L::dense_bias, scores,
              stream);
  return scores;
}

void Network::backward(TensorView<const float> images, std::span<const std::uint8_t> labels,
                       std::span<float> losses, cudaStream_t stream) {
  const int n = images.n;
  const auto scores = forward(images, stream);
  float* p = parameters_.data();
  float* g = gradient_.data();
  const std::span<float> scratch{scratch_.data(), scratch_.size()};

  const auto d_scores = scores_view(gradients_.scores.data(), n);
  ch14::softmax_cross_entropy(scores, labels, losses, d_scores, stream);
  const auto d_features = features_view(gradients_.pool2.data(), n);
  ch14::dense_backward(features_view(values_.pool2.data(), n), dense_view(p), d_scores, d_features,
                       dense_view(g), g + L::dense_bias, stream);

  const auto relu2 = conv2_view(values_.relu2.data(), n);
  const auto d_relu2 = conv2_view(gradients_.relu2.data(), n);
  const auto d_conv2 = conv2_view(gradients_.conv2.data(), n);
  const auto pool1 = pool1_view(values_.pool1.data(), n);
  const auto d_pool1 = pool1_view(gradients_.pool1.data(), n);
  ch14::max_pool_backward(relu2, pool2_view(gradients_.pool2.data(), n), d_relu2, stream);
  ch14::relu_backward(elements(relu2), elements(d_relu2), elements(d_conv2), stream);
  ch13::conv2d_backward_weights(pool1, d_conv2, weights2_view(g), g + L::conv2_bias, scratch,
                                stream);
  ch13::conv2d_backward_input(d_conv2, weights2_view(p), d_pool1, scratch, stream);

  const auto relu1 = conv1_view(values_.relu1.data(), n);
  const auto d_relu1 = conv1_view(gradients_.relu1.data(), n);
  const auto d_conv1 = conv1_view(gradients_.conv1.data(), n);
  ch14::max_pool_backward(relu1, d_pool1, d_relu1, stream);
  ch14::relu_backward(elements(relu1), elements(d_relu1), elements(d_conv1), stream);
  ch13::conv2d_backward_weights(images, d_conv1, weights1_view(g), g + L::conv1_bias, scratch,
                                stream);
}

}  // namespace tut::ch16
