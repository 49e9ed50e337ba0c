#include <algorithm>
#include <initializer_list>
#include <memory>

#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/max_pool.hpp"
#include "16_cnn_trainer/batch_norm_layer.hpp"
#include "16_cnn_trainer/elementwise_stages.hpp"
#include "16_cnn_trainer/stage.hpp"
#include "tut/device_buffer.hpp"
#include "tut/math.hpp"
#include "tut/tensor_view.hpp"

namespace tut::ch16 {

namespace {

using ch13::Conv2dOptions;

/// A convolution layer's tensors, and the kernels that work on them.
class Convolution {
 public:
  Convolution(const Layer& layer, const ParameterVectors<float>& all, const Kernels& kernels)
      : layer_(layer), all_(all), kernels_(&kernels) {}

  TensorView<const float> weights() const { return filters(all_.master + layer_.weights.begin); }
  TensorView<float> d_weights() const { return filters(all_.gradient + layer_.weights.begin); }
  const float* bias() const { return all_.master + layer_.bias.begin; }
  float* d_bias() const { return all_.gradient + layer_.bias.begin; }
  Conv2dOptions options() const { return {layer_.padding, layer_.stride}; }
  const ImageShape& in() const { return layer_.in; }
  const ImageShape& out() const { return layer_.out; }

  // Fewer images may take more scratch memory than one more, which makes a group whole.
  std::size_t scratch_size(int max_images) const {
    std::size_t largest = 0;
    for (int n = std::max(1, max_images - kGroup + 1); n <= max_images; ++n) {
      const auto d_out = planes<const float>(nullptr, n, out());
      const auto filters_view = filters<const float>(nullptr);
      largest = std::max({largest, ch13::conv2d_backward_weights_scratch(d_out, filters_view),
                          ch13::conv2d_backward_input_scratch(d_out, filters_view)});
    }
    return largest;
  }

  void forward(const float* in, const float* bias, float* out, const Pass& pass) const {
    kernels_->conv2d(planes(in, pass.images, layer_.in), weights(), bias,
                     planes(out, pass.images, layer_.out), options(), pass.stream);
  }

  void backward(const float* in, const float* d_out, float* d_in, const Pass& pass) const {
    const auto d_images = planes(d_out, pass.images, layer_.out);
    kernels_->conv2d_backward_weights(planes(in, pass.images, layer_.in), d_images, d_weights(),
                                      d_bias(), pass.scratch, options(), pass.stream);
    if (d_in == nullptr) return;
    kernels_->conv2d_backward_input(d_images, weights(), planes(d_in, pass.images, layer_.in),
                                    pass.scratch, options(), pass.stream);
  }

 private:
  static constexpr int kGroup = 8;  // images that chapter 13's kernels take together

  template <class U>
  TensorView<U> filters(U* data) const {
    return {data, layer_.outputs, layer_.in.channels, layer_.side, layer_.side};
  }

  Layer layer_;
  ParameterVectors<float> all_;
  const Kernels* kernels_;
};

class ConvStage : public Stage<float> {
 public:
  ConvStage(const Layer& layer, const ParameterVectors<float>& all, const Kernels& kernels)
      : convolution_(layer, all, kernels) {}

  bool can_skip_input() const override { return true; }
  std::size_t scratch_size(int max_images) const override {
    return convolution_.scratch_size(max_images);
  }
  void forward(const float* in, float* out, const Pass& pass) override {
    convolution_.forward(in, convolution_.bias(), out, pass);
  }
  void backward(const float* in, const float*, const float* d_out, float* d_in,
                const Pass& pass) override {
    convolution_.backward(in, d_out, d_in, pass);
  }

 private:
  Convolution convolution_;
};

/// Convolution, ReLU and max-pooling. What lies between them is written once and never read back
/// but for a byte a window.
class ConvPoolStage : public Stage<float> {
 public:
  ConvPoolStage(const Layer& conv, const Layer& pool, const ParameterVectors<float>& all,
                int max_images, const Kernels& kernels)
      : convolution_(conv, all, kernels),
        pooled_(pool.out),
        zeros_(static_cast<std::size_t>(conv.outputs)),
        sums_(max_images * conv.out.size()),
        winners_(max_images * pool.out.size()) {
    zeros_.fill_bytes(0);
  }

  bool can_skip_input() const override { return true; }
  std::size_t scratch_size(int max_images) const override {
    return convolution_.scratch_size(max_images);
  }
  void forward(const float* in, float* out, const Pass& pass) override {
    convolution_.forward(in, zeros_.data(), sums_.data(), pass);
    ch14::bias_relu_max_pool(planes<const float>(sums_.data(), pass.images, convolution_.out()),
                             convolution_.bias(), planes(out, pass.images, pooled_), winners(pass),
                             pass.stream);
  }
  void backward(const float* in, const float*, const float* d_out, float* d_in,
                const Pass& pass) override {
    // The gradient takes the place of the sums, which nobody needs any more.
    ch14::bias_relu_max_pool_backward(winners(pass), planes(d_out, pass.images, pooled_),
                                      planes(sums_.data(), pass.images, convolution_.out()),
                                      nullptr, pass.stream);
    convolution_.backward(in, sums_.data(), d_in, pass);
  }

 private:
  std::span<ch14::Winner> winners(const Pass& pass) const {
    return values(winners_.data(), pass.images, pooled_);
  }

  Convolution convolution_;
  ImageShape pooled_;
  DeviceBuffer<float> zeros_;
  DeviceBuffer<float> sums_;  // (images, filters, rows, cols), without bias
  DeviceBuffer<ch14::Winner> winners_;
};

/// A dense layer's matrices, and the kernels that work on them.
class Dense {
 public:
  Dense(const Layer& layer, const ParameterVectors<float>& all, const Kernels& kernels)
      : layer_(layer), all_(all), kernels_(&kernels) {}

  const ImageShape& out() const { return layer_.out; }
  std::size_t scratch_size(int max_images) const {
    std::size_t largest = 0;
    for (int n = 1; n <= max_images; n = n < max_images ? std::min(2 * n, max_images) : n + 1) {
      largest = std::max(largest, ch14::dense_scratch(n, inputs(), layer_.outputs));
    }
    return largest;
  }

  /// `product` is one of the two in Kernels.
  void forward(Kernels::Dense Kernels::*product, const float* in, float* out,
               const Pass& pass) const {
    const std::size_t wanted = ch14::dense_scratch(pass.images, inputs(), layer_.outputs);
    const bool enough = wanted <= pass.scratch.size();
    (kernels_->*product)(rows(in, pass.images, inputs()), weights(all_.master), bias(all_.master),
                         rows(out, pass.images, layer_.outputs),
                         enough ? pass.scratch.first(wanted) : std::span<float>{}, pass.stream);
  }
  void backward(const float* in, const float* d_out, float* d_in, const Pass& pass) const {
    kernels_->dense_backward(rows(in, pass.images, inputs()), weights(all_.master),
                             rows(d_out, pass.images, layer_.outputs),
                             rows(d_in, pass.images, inputs()), weights(all_.gradient),
                             bias(all_.gradient), pass.stream);
  }

 private:
  int inputs() const { return static_cast<int>(layer_.in.size()); }
  template <class U>
  static MatrixView<U> rows(U* data, int n, int cols) {
    return {data, n, cols, cols};
  }
  template <class U>
  MatrixView<U> weights(U* vector) const {
    return rows(vector + layer_.weights.begin, layer_.outputs, inputs());
  }
  template <class U>
  U* bias(U* vector) const {
    return vector + layer_.bias.begin;
  }

  Layer layer_;
  ParameterVectors<float> all_;
  const Kernels* kernels_;
};

class DenseStage : public Stage<float> {
 public:
  explicit DenseStage(const Dense& dense) : dense_(dense) {}

  std::size_t scratch_size(int max_images) const override {
    return dense_.scratch_size(max_images);
  }
  void forward(const float* in, float* out, const Pass& pass) override {
    dense_.forward(&Kernels::dense, in, out, pass);
  }
  void backward(const float* in, const float*, const float* d_out, float* d_in,
                const Pass& pass) override {
    dense_.backward(in, d_out, d_in, pass);
  }

 private:
  Dense dense_;
};

class DenseReluStage : public Stage<float> {
 public:
  DenseReluStage(const Dense& dense, int max_images)
      : dense_(dense), d_sums_(max_images * dense.out().size()) {}

  std::size_t scratch_size(int max_images) const override {
    return dense_.scratch_size(max_images);
  }
  void forward(const float* in, float* out, const Pass& pass) override {
    dense_.forward(&Kernels::dense_relu, in, out, pass);
  }
  void backward(const float* in, const float* out, const float* d_out, float* d_in,
                const Pass& pass) override {
    Relu::backward(values(out, pass.images, dense_.out()), values(d_out, pass.images, dense_.out()),
                   values(d_sums_.data(), pass.images, dense_.out()), pass.stream);
    dense_.backward(in, d_sums_.data(), d_in, pass);
  }

 private:
  Dense dense_;
  DeviceBuffer<float> d_sums_;  // the gradient before the ReLU
};

/// A ReLU that remembers a bit of each value, and so needs neither its input nor its output.
class BitReluStage : public Stage<float> {
 public:
  BitReluStage(const Layer& layer, int max_images, const Kernels& kernels)
      : shape_(layer.in), kernels_(&kernels), bits_(words(max_images)) {}

  bool in_place() const override { return true; }
  void forward(const float* in, float* out, const Pass& pass) override {
    kernels_->relu_bits(values(in, pass.images, shape_), values(out, pass.images, shape_),
                        bits(pass), pass.stream);
  }
  void backward(const float*, const float*, const float* d_out, float* d_in,
                const Pass& pass) override {
    kernels_->relu_bits_backward(bits(pass), values(d_out, pass.images, shape_),
                                 values(d_in, pass.images, shape_), pass.stream);
  }

 private:
  std::size_t words(int n) const {
    return ceil_div(static_cast<std::size_t>(n) * shape_.size(), std::size_t{32});
  }
  std::span<std::uint32_t> bits(const Pass& pass) const {
    return {bits_.data(), words(pass.images)};
  }

  ImageShape shape_;
  const Kernels* kernels_;
  DeviceBuffer<std::uint32_t> bits_;
};

class PoolStage : public Stage<float> {
 public:
  explicit PoolStage(const Layer& layer) : layer_(layer) {}
  void forward(const float* in, float* out, const Pass& pass) override {
    ch14::max_pool(planes(in, pass.images, layer_.in), planes(out, pass.images, layer_.out),
                   pass.stream);
  }
  void backward(const float* in, const float*, const float* d_out, float* d_in,
                const Pass& pass) override {
    ch14::max_pool_backward(planes(in, pass.images, layer_.in),
                            planes(d_out, pass.images, layer_.out),
                            planes(d_in, pass.images, layer_.in), pass.stream);
  }

 private:
  Layer layer_;
};

class BatchNormStage : public Stage<float> {
 public:
  BatchNormStage(const Layer& layer, const ParameterVectors<float>& all)
      : shape_(layer.in), norm_(layer, all) {}
  void forward(const float* in, float* out, const Pass& pass) override {
    norm_.forward(planes(in, pass.images, shape_), planes(out, pass.images, shape_), pass);
  }
  void backward(const float* in, const float*, const float* d_out, float* d_in,
                const Pass& pass) override {
    norm_.backward(planes(in, pass.images, shape_), planes(d_out, pass.images, shape_),
                   planes(d_in, pass.images, shape_), pass);
  }

 private:
  ImageShape shape_;
  BatchNormLayer norm_;
};

/// What the stages are made of.
struct Parts {
  const ParameterVectors<float>& all;
  int max_images;
  const Kernels& kernels;
};

std::unique_ptr<Stage<float>> make_relu(const Layer& layer, const Parts& parts) {
  if (!parts.kernels.relu_bits) return std::make_unique<ActivationStage<float, Relu>>(layer);
  return std::make_unique<BitReluStage>(layer, parts.max_images, parts.kernels);
}

std::unique_ptr<Stage<float>> make_stage(const Layer& layer, std::size_t place,
                                         const Parts& parts) {
  switch (layer.kind) {
    case LayerKind::conv:
      return std::make_unique<ConvStage>(layer, parts.all, parts.kernels);
    case LayerKind::relu:
      return make_relu(layer, parts);
    case LayerKind::sigmoid:
      return std::make_unique<ActivationStage<float, Sigmoid>>(layer);
    case LayerKind::maxpool:
      return std::make_unique<PoolStage>(layer);
    case LayerKind::dropout:
      return std::make_unique<DropoutStage<float>>(layer, place);
    case LayerKind::batchnorm:
      return std::make_unique<BatchNormStage>(layer, parts.all);
    case LayerKind::dense:
      return std::make_unique<DenseStage>(Dense(layer, parts.all, parts.kernels));
  }
  return nullptr;
}

/// The first layers that one stage computes.
std::unique_ptr<Stage<float>> make_stage_of(std::span<const Layer> layers, std::size_t place,
                                            const Parts& parts) {
  switch (layers.size()) {
    case 3:
      return std::make_unique<ConvPoolStage>(layers[0], layers[2], parts.all, parts.max_images,
                                             parts.kernels);
    case 2:
      return std::make_unique<DenseReluStage>(Dense(layers[0], parts.all, parts.kernels),
                                              parts.max_images);
    default:
      return make_stage(layers[0], place, parts);
  }
}

}  // namespace

std::size_t layers_of_float_stage(std::span<const Layer> layers) {
  const auto kinds_are = [&](std::initializer_list<LayerKind> kinds) {
    return layers.size() >= kinds.size() &&
           std::equal(kinds.begin(), kinds.end(), layers.begin(),
                      [](LayerKind kind, const Layer& layer) { return layer.kind == kind; });
  };
  if (kinds_are({LayerKind::conv, LayerKind::relu, LayerKind::maxpool})) return 3;
  if (kinds_are({LayerKind::dense, LayerKind::relu})) return 2;
  return 1;
}

std::vector<PlacedStage<float>> make_stages(const NetworkSpec& spec,
                                            const ParameterVectors<float>& all, int max_images,
                                            const Kernels& kernels) {
  std::vector<PlacedStage<float>> stages;
  for (std::size_t i = 0; i < spec.layers.size();) {
    const std::span rest = std::span(spec.layers).subspan(i);
    const std::span layers = rest.first(layers_of_float_stage(rest));
    stages.push_back({make_stage_of(layers, i, {all, max_images, kernels}), layers.front().in,
                      layers.back().out});
    i += layers.size();
  }
  return stages;
}

}  // namespace tut::ch16
