// A network learns to read drawn digits, in one file that reads from top to bottom: the layers,
// their gradients and the loop around them, on kernels of chapters 13 and 14. `ch16_demo` is the
// general program, in the folder trainer/: any network, MNIST, mixed precision, checkpoints.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

#include "13_convolution/conv2d_tiles.hpp"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/conv2d_bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/conv2d_bias_relu_max_pool_backward.hpp"
#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/sgd_momentum.hpp"
#include "14_layers_and_fusion/softmax_cross_entropy.hpp"
#include "16_cnn_trainer/architecture.hpp"
#include "16_cnn_trainer/classify.hpp"
#include "16_cnn_trainer/gather_batch.hpp"
#include "tut/data/drawn_digits.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/errors/check.hpp"
#include "tut/text/program.hpp"
#include "tut/text/terminal.hpp"

namespace {

using namespace tut;
using A = ch16::Architecture;
using P = ch16::ParameterLayout;

//! [settings]
constexpr int batch = 32, epochs = 3, train_images = 2000, test_images = 500;
constexpr float learning_rate = 0.02f, momentum = 0.9f;
constexpr std::uint64_t seed = 1;
//! [settings]

std::size_t times(int n, int channels, int side) {
  return std::size_t{1} * static_cast<std::size_t>(n * channels) *
         static_cast<std::size_t>(side * side);
}

/// A convolution of 5 x 5, then ReLU and max-pooling. `parameters` are its weights, then its
/// biases.
class ConvolutionLayer {
 public:
  ConvolutionLayer(int channels, int filters, int in_side)
      : channels_(channels),
        filters_(filters),
        in_side_(in_side),
        out_side_(in_side - A::filter + 1),
        d_sums_(times(batch, filters, out_side_)),
        winners_(times(batch, filters, out_side_ / 2)),
        bias_partial_(ch14::bias_sums_size(filters)),
        bias_finished_(static_cast<std::size_t>(filters)),
        partial_(ch14::conv2d_bias_relu_max_pool_backward_weights_scratch(
            images<const float>(nullptr, batch), weights<const float>(nullptr))),
        finished_(ch13::conv2d_tiles_backward_weights_counters(weights<const float>(nullptr))) {
    bias_finished_.fill_bytes(0);
    finished_.fill_bytes(0);
  }

  //! [convolution]
  /// out (N, filters, side / 2, side / 2)
  void forward(int n, const float* in, const float* parameters, float* out) {
    ch14::conv2d_bias_relu_max_pool(images(in, n), weights(parameters), biases(parameters),
                                    pooled(out, n), winners(n));
  }

  /// Given the gradient of the output, computes that of the parameters.
  void backward(int n, const float* in, const float* d_out, float* d_parameters) {
    ch14::conv2d_bias_relu_max_pool_backward_weights(images(in, n), winners(n), pooled(d_out, n),
                                                     weights(d_parameters), biases(d_parameters),
                                                     weight_sums());
  }

  /// The same, and that of the input.
  void backward(int n, const float* in, const float* parameters, const float* d_out,
                float* d_parameters, float* d_in) {
    ch14::bias_relu_max_pool_backward(winners(n), pooled(d_out, n), d_sums<float>(n),
                                      biases(d_parameters),
                                      {bias_partial_.data(), bias_finished_.data()});
    ch13::conv2d_tiles_backward_weights(images(in, n), d_sums<const float>(n),
                                        weights(d_parameters), weight_sums(), 0);
    ch13::conv2d_tiles_backward_input(d_sums<const float>(n), weights(parameters), images(d_in, n),
                                      0);
  }
  //! [convolution]

 private:
  //! [views]
  template <class T>
  TensorView<T> images(T* data, int n) const {
    return {data, n, channels_, in_side_, in_side_};
  }
  template <class T>
  TensorView<T> weights(T* data) const {
    return {data, filters_, channels_, A::filter, A::filter};
  }
  template <class T>
  T* biases(T* parameters) const {
    return parameters + filters_ * channels_ * A::taps;
  }
  //! [views]
  template <class T>
  TensorView<T> d_sums(int n) const {
    return {d_sums_.data(), n, filters_, out_side_, out_side_};
  }
  template <class T>
  TensorView<T> pooled(T* data, int n) const {
    return {data, n, filters_, out_side_ / 2, out_side_ / 2};
  }
  ch13::SliceSums weight_sums() const {
    return {{partial_.data(), partial_.size()}, {finished_.data(), finished_.size()}};
  }
  std::span<ch14::Winner> winners(int n) const {
    return {winners_.data(), times(n, filters_, out_side_ / 2)};
  }

  //! [buffers]
  int channels_, filters_, in_side_, out_side_;
  DeviceBuffer<float> d_sums_;            // the gradient before bias, ReLU and pooling
  DeviceBuffer<ch14::Winner> winners_;    // which pixel of each window was the largest
  DeviceBuffer<float> bias_partial_;      // sums of blocks, for the gradient of the bias
  DeviceBuffer<unsigned> bias_finished_;  // how many blocks have written theirs
  DeviceBuffer<float> partial_;           // the same, for the gradient of the weights
  DeviceBuffer<unsigned> finished_;
  //! [buffers]
};

class Network {
 public:
  Network() : parameters_(ch16::initial_parameters(seed)) { velocity_.fill_bytes(0); }

  //! [forward]
  /// The scores of n images: (n, classes).
  MatrixView<const float> forward(int n, const float* images) {
    first_.forward(n, images, parameters_.data() + P::conv1_weights, pooled1_.data());
    second_.forward(n, pooled1_.data(), parameters_.data() + P::conv2_weights, pooled2_.data());
    ch14::dense(features<const float>(n), dense_weights<const float>(parameters_),
                parameters_.data() + P::dense_bias, scores<float>(n));
    return scores<const float>(n);
  }
  //! [forward]

  //! [step]
  /// One step down the gradient of the mean loss, after forward with the same images.
  void step(int n, const float* images, std::span<const std::uint8_t> labels,
            std::span<float> losses) {
    ch14::softmax_cross_entropy(scores<const float>(n), labels, losses, d_scores<float>(n));
    ch14::dense_backward(features<const float>(n), dense_weights<const float>(parameters_),
                         d_scores<const float>(n), {d_pooled2_.data(), n, A::features, A::features},
                         dense_weights<float>(gradient_), gradient_.data() + P::dense_bias);
    second_.backward(n, pooled1_.data(), parameters_.data() + P::conv2_weights, d_pooled2_.data(),
                     gradient_.data() + P::conv2_weights, d_pooled1_.data());
    first_.backward(n, images, d_pooled1_.data(), gradient_.data() + P::conv1_weights);
    ch14::sgd_momentum({parameters_.data(), P::size}, {velocity_.data(), P::size},
                       {gradient_.data(), P::size}, learning_rate, momentum);
  }
  //! [step]

  std::vector<float> parameters() const { return parameters_.to_host(); }

 private:
  template <class T>
  MatrixView<T> features(int n) const {
    return {pooled2_.data(), n, A::features, A::features};
  }
  template <class T>
  MatrixView<T> dense_weights(const DeviceBuffer<float>& vector) const {
    return {vector.data() + P::dense_weights, A::classes, A::features, A::features};
  }
  template <class T>
  MatrixView<T> scores(int n) const {
    return {scores_.data(), n, A::classes, A::classes};
  }
  template <class T>
  MatrixView<T> d_scores(int n) const {
    return {d_scores_.data(), n, A::classes, A::classes};
  }

  //! [memory]
  ConvolutionLayer first_{1, A::channels1, A::side};
  ConvolutionLayer second_{A::channels1, A::channels2, A::pool1_side};
  DeviceBuffer<float> parameters_, gradient_{P::size}, velocity_{P::size};
  DeviceBuffer<float> pooled1_{times(batch, A::channels1, A::pool1_side)};
  DeviceBuffer<float> d_pooled1_{pooled1_.size()};
  DeviceBuffer<float> pooled2_{times(batch, A::channels2, A::pool2_side)};
  DeviceBuffer<float> d_pooled2_{pooled2_.size()};
  DeviceBuffer<float> scores_{std::size_t{batch} * A::classes}, d_scores_{scores_.size()};
  //! [memory]
};

/// Images and labels in device memory, and the batch that the network sees.
class DeviceSet {
 public:
  explicit DeviceSet(const data::Dataset& set)
      : pixels_(set.images), labels_(set.labels), count_(static_cast<int>(set.size())) {}

  int count() const { return count_; }
  const float* images() const { return batch_.data(); }
  std::span<const std::uint8_t> labels(int n) const {
    return {batch_labels_.data(), static_cast<std::size_t>(n)};
  }

  //! [set]
  /// The order in which the images come from now on.
  void set_order(std::span<const int> order) { order_.copy_from(order); }

  /// Fetches the next batch of images, from place `begin` of the order on; returns how many.
  int gather(int begin) {
    const int n = std::min(batch, count_ - begin);
    const auto size = static_cast<std::size_t>(n);
    ch16::gather_batch({pixels_.data(), count_, 1, A::side, A::side},
                       {labels_.data(), labels_.size()}, {order_.data() + begin, size},
                       {batch_.data(), n, 1, A::side, A::side}, {batch_labels_.data(), size});
    return n;
  }
  //! [set]

 private:
  DeviceBuffer<std::uint8_t> pixels_, labels_;
  int count_;
  DeviceBuffer<int> order_{static_cast<std::size_t>(count_)};
  DeviceBuffer<float> batch_{times(batch, 1, A::side)};
  DeviceBuffer<std::uint8_t> batch_labels_{batch};
};

//! [train]
/// Trains on all images once, a step for each batch, and returns the mean loss. The first epoch is
/// number 1.
double train(Network& network, DeviceSet& set, int epoch) {
  set.set_order(ch16::epoch_order(static_cast<std::size_t>(set.count()), seed, epoch - 1));
  DeviceBuffer<float> losses(static_cast<std::size_t>(set.count()));
  ProgressBar progress("epoch " + std::to_string(epoch), set.count());
  for (int begin = 0; begin < set.count(); begin += batch) {
    const int n = set.gather(begin);
    network.forward(n, set.images());
    network.step(n, set.images(), set.labels(n),
                 {losses.data() + begin, static_cast<std::size_t>(n)});
    progress.advance(n);
  }
  progress.finish();
  const std::vector<float> all = losses.to_host();
  return std::accumulate(all.begin(), all.end(), 0.0) / set.count();
}
//! [train]

//! [accuracy]
/// The share of images whose largest score is that of their label.
double accuracy(Network& network, DeviceSet& set, std::span<const std::uint8_t> labels) {
  std::vector<int> order(static_cast<std::size_t>(set.count()));
  std::iota(order.begin(), order.end(), 0);
  set.set_order(order);
  DeviceBuffer<std::uint8_t> predictions(order.size());
  for (int begin = 0; begin < set.count(); begin += batch) {
    const int n = set.gather(begin);
    ch16::classify(network.forward(n, set.images()),
                   {predictions.data() + begin, static_cast<std::size_t>(n)});
  }
  const std::vector<std::uint8_t> got = predictions.to_host();
  int right = 0;
  for (std::size_t i = 0; i < got.size(); ++i) right += got[i] == labels[i] ? 1 : 0;
  return static_cast<double>(right) / set.count();
}
//! [accuracy]

}  // namespace

int main(int argc, char** argv) {
  return run_without_arguments("ch16_train", argc, argv, [] {
    //! [main]
    const data::Dataset drawn = data::draw_digits(train_images, seed);
    const data::Dataset test = data::draw_digits(test_images, seed + 1);
    DeviceSet train_set(drawn), test_set(test);
    Network network;
    std::printf("%d drawn digits to learn from, %d others to be judged by; %zu parameters\n\n",
                train_images, test_images, P::size);
    std::printf("epoch    loss   right\n");
    std::printf("    0       -   %4.1f %%\n", 100 * accuracy(network, test_set, test.labels));
    for (int epoch = 1; epoch <= epochs; ++epoch) {
      const double loss = train(network, train_set, epoch);
      std::printf("%5d   %.3f   %4.1f %%\n", epoch, loss,
                  100 * accuracy(network, test_set, test.labels));
      std::fflush(stdout);
    }
    //! [main]
  });
}
