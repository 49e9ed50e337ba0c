/// \file
/// What the demo and the benchmark of this chapter compare: the same work in separate passes and
/// fused.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "13_convolution/conv2d.hpp"
#include "14_layers_and_fusion/adam.hpp"
#include "14_layers_and_fusion/bias.hpp"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/conv2d_bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/max_pool.hpp"
#include "14_layers_and_fusion/relu.hpp"
#include "14_layers_and_fusion/separate_passes.hpp"
#include "14_layers_and_fusion/sgd_momentum.hpp"
#include "14_layers_and_fusion/softmax_cross_entropy.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/random.hpp"

namespace tut::ch14 {

/// One way to do the work of a case.
struct Way {
  std::string name;
  int launches;
  double bytes;  ///< that it moves, by the contracts' Cost
  std::function<void(cudaStream_t)> run;
};

/// The same work in several ways. `result`: what they must agree in, to `tolerance`.
struct FusionCase {
  std::string title, unit;
  double count;  ///< of units
  std::vector<Way> ways;
  std::function<std::vector<float>()> result;
  std::function<void()> reset;
  float tolerance;
};

/// Random values on the device.
inline DeviceBuffer<float> random_on_device(std::size_t size, std::uint64_t seed) {
  std::vector<float> host(size);
  fill_uniform(host, seed);
  return DeviceBuffer<float>(host);
}

/// What follows the second convolution of PyTorch's MNIST example, 64 x 24 x 24 an image.
struct PooledChain {
  static constexpr int channels = 64, side = 24;

  explicit PooledChain(int images)
      : n(images),
        size(std::size_t{1} * images * channels * side * side),
        in(random_on_device(size, 1)),
        bias(random_on_device(channels, 2)),
        d_out(random_on_device(size / 4, 3)),
        biased(size),
        rectified(size),
        d_rectified(size),
        d_in(size),
        out(size / 4),
        d_bias(channels),
        partial(bias_sums_size(channels)),
        finished(channels),
        winners(size / 4) {
    finished.fill_bytes(0);
  }

  TensorView<float> full(const DeviceBuffer<float>& data) const {
    return {data.data(), n, channels, side, side};
  }
  TensorView<float> half(const DeviceBuffer<float>& data) const {
    return {data.data(), n, channels, side / 2, side / 2};
  }
  std::span<float> all(const DeviceBuffer<float>& data) const { return {data.data(), data.size()}; }
  std::span<Winner> all_winners() const { return {winners.data(), winners.size()}; }

  //! [separate]
  void forward(cudaStream_t stream) const {
    add_bias(full(in), bias.data(), full(biased), stream);
    relu(all(biased), all(rectified), stream);
    max_pool(full(rectified), half(out), stream);
  }
  //! [separate]
  //! [fused]
  void forward_fused(cudaStream_t stream) const {
    bias_relu_max_pool(full(in), bias.data(), half(out), all_winners(), stream);
  }
  //! [fused]
  void backward(cudaStream_t stream) const {
    max_pool_backward(full(rectified), half(d_out), full(d_rectified), stream);
    relu_backward(all(rectified), all(d_rectified), all(d_in), stream);
    bias_backward(full(d_in), d_bias.data(), stream);
  }
  void backward_fused(cudaStream_t stream) const {
    bias_relu_max_pool_backward(all_winners(), half(d_out), full(d_in), d_bias.data(),
                                {partial.data(), finished.data()}, stream);
  }

  int n;
  std::size_t size;
  DeviceBuffer<float> in, bias, d_out, biased, rectified, d_rectified, d_in, out, d_bias, partial;
  DeviceBuffer<unsigned> finished;
  DeviceBuffer<Winner> winners;
};

/// The first layer of chapter 16's small network, with all that follows it: 8 filters of 5 x 5.
struct ConvolutionChain {
  static constexpr int filters = 8, taps = 5, side = 28, between = side - taps + 1;

  explicit ConvolutionChain(int images)
      : n(images),
        windows(std::size_t{1} * images * filters * between * between / 4),
        in(random_on_device(std::size_t{1} * images * side * side, 7)),
        weights(random_on_device(filters * taps * taps, 8)),
        bias(random_on_device(filters, 9)),
        zeros(filters),
        sums(4 * windows),
        biased(4 * windows),
        rectified(4 * windows),
        out(windows),
        winners(windows) {
    zeros.fill_bytes(0);
  }

  TensorView<float> batch() const { return {in.data(), n, 1, side, side}; }
  TensorView<float> bank() const { return {weights.data(), filters, 1, taps, taps}; }
  TensorView<float> full(const DeviceBuffer<float>& data) const {
    return {data.data(), n, filters, between, between};
  }
  TensorView<float> pooled() const { return {out.data(), n, filters, between / 2, between / 2}; }
  std::span<float> all(const DeviceBuffer<float>& data) const { return {data.data(), data.size()}; }
  std::span<Winner> all_winners() const { return {winners.data(), winners.size()}; }

  void in_four(cudaStream_t stream) const {
    ch13::conv2d(batch(), bank(), zeros.data(), full(sums), {}, stream);
    add_bias(full(sums), bias.data(), full(biased), stream);
    relu(all(biased), all(rectified), stream);
    max_pool(full(rectified), pooled(), stream);
  }
  //! [epilogue]
  void in_two(cudaStream_t stream) const {
    ch13::conv2d(batch(), bank(), zeros.data(), full(sums), {}, stream);
    bias_relu_max_pool(full(sums), bias.data(), pooled(), all_winners(), stream);
  }
  void in_one(cudaStream_t stream) const {
    conv2d_bias_relu_max_pool(batch(), bank(), bias.data(), pooled(), all_winners(), 0, stream);
  }
  //! [epilogue]

  int n;
  std::size_t windows;
  DeviceBuffer<float> in, weights, bias, zeros, sums, biased, rectified, out;
  DeviceBuffer<Winner> winners;
};

/// Scores of 10 classes, as many labels as rows.
struct LossCase {
  static constexpr int classes = 10;

  explicit LossCase(int examples)
      : rows(examples),
        scores(random_on_device(std::size_t{1} * examples * classes, 4)),
        probabilities(scores.size()),
        d_scores(scores.size()),
        losses(std::size_t{1} * examples),
        labels(std::size_t{1} * examples) {
    std::vector<std::uint8_t> host(labels.size());
    for (std::size_t n = 0; n < host.size(); ++n) host[n] = static_cast<std::uint8_t>(n % classes);
    labels.copy_from(host);
  }
  MatrixView<float> view(const DeviceBuffer<float>& data) const {
    return {data.data(), rows, classes, classes};
  }
  void separate(cudaStream_t stream) const {
    softmax_cross_entropy_in_passes(view(scores), {labels.data(), labels.size()},
                                    view(probabilities), {losses.data(), losses.size()},
                                    view(d_scores), stream);
  }
  void fused(cudaStream_t stream) const {
    softmax_cross_entropy(view(scores), {labels.data(), labels.size()},
                          {losses.data(), losses.size()}, view(d_scores), stream);
  }

  int rows;
  DeviceBuffer<float> scores, probabilities, d_scores, losses;
  DeviceBuffer<std::uint8_t> labels;
};

/// The parameters of a network, in one vector of tensors of equal size, and Adam's state.
struct ParameterCase {
  ParameterCase(int tensors, std::size_t each)
      : count(tensors),
        size(each * static_cast<std::size_t>(tensors)),
        gradient(random_on_device(size, 6)),
        parameters(size),
        m(size),
        v(size) {
    reset();
  }
  void reset() {
    parameters = random_on_device(size, 5);
    m.fill_bytes(0);
    v.fill_bytes(0);
  }
  std::span<float> part(const DeviceBuffer<float>& data, int tensor) const {
    const std::size_t each = size / static_cast<std::size_t>(count);
    return {data.data() + static_cast<std::size_t>(tensor) * each, each};
  }
  std::span<float> all(const DeviceBuffer<float>& data) const { return {data.data(), size}; }

  void in_passes(cudaStream_t stream) const {
    for (int t = 0; t < count; ++t) {
      adam_in_passes(part(parameters, t), part(m, t), part(v, t), part(gradient, t), 1, {}, stream);
    }
  }
  void each(cudaStream_t stream) const {
    for (int t = 0; t < count; ++t) {
      adam(part(parameters, t), part(m, t), part(v, t), part(gradient, t), 1, {}, stream);
    }
  }
  void at_once(cudaStream_t stream) const {
    adam(all(parameters), all(m), all(v), all(gradient), 1, {}, stream);
  }

  int count;
  std::size_t size;
  DeviceBuffer<float> gradient, parameters, m, v;
};

/// All cases, for this many images, rows of scores, and parameters in each of 8 tensors.
inline std::vector<FusionCase> fusion_cases(int images, int rows, std::size_t parameters) {
  const auto chain = std::make_shared<PooledChain>(images);
  const auto loss = std::make_shared<LossCase>(rows);
  const auto step = std::make_shared<ParameterCase>(8, parameters);
  const auto whole = std::make_shared<ConvolutionChain>(images);
  const auto windows = static_cast<double>(chain->size) / 4;
  const auto ends = static_cast<double>(whole->windows);
  // What every convolution has to read: images and weights, once.
  const auto reads = static_cast<double>(whole->in.bytes() + whole->weights.bytes());
  const auto scores = static_cast<double>(loss->scores.size());
  const auto all = static_cast<double>(step->size);
  const auto nothing = [] {};
  const auto run = [](const auto& object, auto member) {
    return [object, member](cudaStream_t stream) { ((*object).*member)(stream); };
  };
  return {
      {"bias, ReLU, max-pool",
       "window",
       windows,
       {{"three kernels", 3, 84 * windows, run(chain, &PooledChain::forward)},
        {"one kernel", 1, 21 * windows, run(chain, &PooledChain::forward_fused)}},
       [chain] { return chain->out.to_host(); },
       nothing,
       0.0f},
      {"their gradients",
       "window",
       windows,
       {{"three kernels", 3, 100 * windows, run(chain, &PooledChain::backward)},
        {"one kernel", 1, 21 * windows, run(chain, &PooledChain::backward_fused)}},
       [chain] { return chain->d_in.to_host(); },
       [chain] {  // what the gradients are of
         chain->forward(nullptr);
         chain->forward_fused(nullptr);
       },
       0.0f},
      {"convolution, bias, ReLU, max-pool",
       "window",
       ends,
       {{"four kernels", 4, reads + 100 * ends, run(whole, &ConvolutionChain::in_four)},
        {"two kernels", 2, reads + 37 * ends, run(whole, &ConvolutionChain::in_two)},
        {"one kernel", 1, reads + 5 * ends, run(whole, &ConvolutionChain::in_one)}},
       [whole] { return whole->out.to_host(); },
       nothing,
       1e-5f},
      {"softmax, loss, gradient",
       "score",
       scores,
       {{"three kernels", 3, 16 * scores + 9.0 * rows, run(loss, &LossCase::separate)},
        {"one kernel", 1, 8 * scores + 5.0 * rows, run(loss, &LossCase::fused)}},
       [loss] { return loss->d_scores.to_host(); },
       nothing,
       1e-6f},
      {"Adam, 8 tensors",
       "parameter",
       all,
       {{"three kernels a tensor", 24, 40 * all, run(step, &ParameterCase::in_passes)},
        {"one kernel a tensor", 8, 28 * all, run(step, &ParameterCase::each)},
        {"one kernel", 1, 28 * all, run(step, &ParameterCase::at_once)}},
       [step] { return step->parameters.to_host(); },
       [step] { step->reset(); },
       1e-6f},
  };
}

}  // namespace tut::ch14
