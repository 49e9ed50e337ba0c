// Stages of networks whose activations and weights are rounded, to TF32 or 16 bits: products on
// tensor cores, and images with their channels innermost, NHWC.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <memory>

#include "13_convolution/conv2d_wmma.hpp"
#include "13_convolution/conv2d_wmma_backward_input.hpp"
#include "13_convolution/conv2d_wmma_backward_weights.hpp"
#include "13_convolution/convert_layout.hpp"
#include "14_layers_and_fusion/max_pool_nhwc.hpp"
#include "16_cnn_trainer/batch_norm_layer.hpp"
#include "16_cnn_trainer/elementwise_stages.hpp"
#include "16_cnn_trainer/stage.hpp"
#include "tut/device_buffer.hpp"

namespace tut::ch16 {

namespace {

using ch13::Conv2dOptions;
using ch13::NhwcView;

template <class U>
NhwcView<U> images(U* data, int n, const ImageShape& shape) {
  return {data, n, shape.rows, shape.cols, shape.channels};
}

/// A layer of weights as a convolution. To a dense layer an image is one pixel, whose channels are
/// all values in the order in which they lie. Its weights are put into that order like the filters
/// of a convolution: as images of the input's shape.
struct Filters {
  explicit Filters(const Layer& layer)
      : dense(layer.kind == LayerKind::dense),
        count(layer.outputs),
        shape(dense ? layer.in : ImageShape{layer.in.channels, layer.side, layer.side}) {}

  ImageShape seen(const ImageShape& image) const {
    return dense ? ImageShape{static_cast<int>(image.size()), 1, 1} : image;
  }
  /// As the product wants them.
  template <class U>
  NhwcView<U> operands(U* data) const {
    return images(data, count, seen(shape));
  }
  /// The same memory, with all that has to change places.
  template <class U>
  NhwcView<U> nhwc(U* data) const {
    return images(data, count, shape);
  }
  template <class U>
  TensorView<U> nchw(U* data) const {
    return planes(data, count, shape);
  }
  std::size_t size() const { return static_cast<std::size_t>(count) * shape.size(); }

  bool dense;
  int count;
  ImageShape shape;
};

/// A convolution or a dense layer.
template <class T>
class ProductStage : public Stage<T> {
 public:
  ProductStage(const Layer& layer, const ParameterVectors<T>& all)
      : layer_(layer), all_(all), filters_(layer), d_weights_(filters_.size()) {}

  bool can_skip_input() const override { return true; }

  std::size_t scratch_size(int max_images) const override {
    const int pixels =
        max_images * layer_.out.rows * layer_.out.cols;  // of a dense layer 1 an image
    std::size_t largest = 0;
    // Slices of fewer pixels may be more.
    for (int some = pixels; some > 0; some /= 2) {
      largest = std::max(largest, ch13::conv2d_wmma_backward_weights_scratch(
                                      filters_.template operands<float>(nullptr), some));
    }
    return largest;
  }

  void refresh(const Pass& pass) override {
    ch13::nchw_to_nhwc<T>(filters_.nchw(all_.master + layer_.weights.begin),
                          filters_.nhwc(all_.working + layer_.weights.begin), pass.stream);
  }

  void forward(const T* in, T* out, const Pass& pass) override {
    ch13::conv2d_wmma<T, T>(inputs(in, pass), weights(), all_.master + layer_.bias.begin,
                            images(out, pass.images, layer_.out), options(), pass.stream);
  }

  void backward(const T* in, const T*, const T* d_out, T* d_in, const Pass& pass) override {
    const auto d_images = images(d_out, pass.images, layer_.out);
    ch13::conv2d_wmma_backward_weights<T>(
        inputs(in, pass), d_images, filters_.operands(d_weights_.data()),
        all_.gradient + layer_.bias.begin, pass.scratch, options(), pass.stream);
    ch13::nhwc_to_nchw<float>(filters_.nhwc(d_weights_.data()),
                              filters_.nchw(all_.gradient + layer_.weights.begin), pass.stream);
    if (d_in == nullptr) return;
    ch13::conv2d_wmma_backward_input<T, T>(d_images, weights(), inputs(d_in, pass), options(),
                                           pass.stream);
  }

 private:
  NhwcView<const T> weights() const {
    return filters_.template operands<const T>(all_.working + layer_.weights.begin);
  }
  template <class U>
  NhwcView<U> inputs(U* data, const Pass& pass) const {
    return images(data, pass.images, filters_.seen(layer_.in));
  }
  Conv2dOptions options() const {
    return filters_.dense ? Conv2dOptions{} : Conv2dOptions{layer_.padding, layer_.stride};
  }

  Layer layer_;
  ParameterVectors<T> all_;
  Filters filters_;
  DeviceBuffer<float> d_weights_;  // NHWC
};

/// Max-pooling, after a ReLU or not.
template <class T>
class NhwcPoolStage : public Stage<T> {
 public:
  NhwcPoolStage(const Layer& pool, ch14::BeforePool before, int max_images)
      : layer_(pool), before_(before), winners_(max_images * pool.out.size()) {}

  void forward(const T* in, T* out, const Pass& pass) override {
    ch14::max_pool_nhwc<T>(images(in, pass.images, layer_.in), images(out, pass.images, layer_.out),
                           winners(pass), before_, pass.stream);
  }
  void backward(const T*, const T*, const T* d_out, T* d_in, const Pass& pass) override {
    ch14::max_pool_nhwc_backward<T>(winners(pass), images(d_out, pass.images, layer_.out),
                                    images(d_in, pass.images, layer_.in), pass.stream);
  }

 private:
  std::span<ch14::Winner> winners(const Pass& pass) const {
    return values(winners_.data(), pass.images, layer_.out);
  }

  Layer layer_;
  ch14::BeforePool before_;
  DeviceBuffer<ch14::Winner> winners_;
};

/// Batch norm in FP32 and in planes: its sums are long, and few networks have much of it.
template <class T>
class BatchNormStage : public Stage<T> {
 public:
  BatchNormStage(const Layer& layer, const ParameterVectors<T>& all, int max_images)
      : shape_(layer.in),
        norm_(layer, all),
        in_(max_images * layer.in.size()),
        other_(max_images * layer.in.size()) {}

  void forward(const T* in, T* out, const Pass& pass) override {
    ch13::nhwc_to_nchw<T>(images(in, pass.images, shape_), of(in_, pass), pass.stream);
    norm_.forward(of(in_, pass), of(other_, pass), pass);
    ch13::nchw_to_nhwc<T>(of(other_, pass), images(out, pass.images, shape_), pass.stream);
  }
  void backward(const T*, const T*, const T* d_out, T* d_in, const Pass& pass) override {
    const TensorView<float> gradient = of(other_, pass);  // of the output, then of the input
    ch13::nhwc_to_nchw<T>(images(d_out, pass.images, shape_), gradient, pass.stream);
    norm_.backward(of(in_, pass), gradient, gradient, pass);
    ch13::nchw_to_nhwc<T>(gradient, images(d_in, pass.images, shape_), pass.stream);
  }

 private:
  TensorView<float> of(const DeviceBuffer<float>& buffer, const Pass& pass) const {
    return planes(buffer.data(), pass.images, shape_);
  }

  ImageShape shape_;
  BatchNormLayer norm_;
  DeviceBuffer<float> in_, other_;  // NCHW
};

template <class T>
std::unique_ptr<Stage<T>> make_stage(const Layer& layer, std::size_t place,
                                     const ParameterVectors<T>& all, int max_images) {
  switch (layer.kind) {
    case LayerKind::conv:
    case LayerKind::dense:
      return std::make_unique<ProductStage<T>>(layer, all);
    case LayerKind::relu:
      return std::make_unique<ActivationStage<T, Relu>>(layer);
    case LayerKind::sigmoid:
      return std::make_unique<ActivationStage<T, Sigmoid>>(layer);
    case LayerKind::maxpool:
      return std::make_unique<NhwcPoolStage<T>>(layer, ch14::BeforePool::nothing, max_images);
    case LayerKind::dropout:
      return std::make_unique<DropoutStage<T>>(layer, place);
    case LayerKind::batchnorm:
      return std::make_unique<BatchNormStage<T>>(layer, all, max_images);
  }
  return nullptr;
}

template <class T>
std::vector<PlacedStage<T>> make_all(const NetworkSpec& spec, const ParameterVectors<T>& all,
                                     int max_images) {
  std::vector<PlacedStage<T>> stages;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const Layer& layer = spec.layers[i];
    const bool pooled = layer.kind == LayerKind::relu && i + 1 < spec.layers.size() &&
                        spec.layers[i + 1].kind == LayerKind::maxpool;
    if (pooled) {
      const Layer& pool = spec.layers[++i];
      stages.push_back(
          {std::make_unique<NhwcPoolStage<T>>(pool, ch14::BeforePool::relu, max_images), layer.in,
           pool.out});
    } else {
      stages.push_back({make_stage<T>(layer, i, all, max_images), layer.in, layer.out});
    }
  }
  return stages;
}

}  // namespace

template <>
std::vector<PlacedStage<Tf32>> make_stages(const NetworkSpec& spec,
                                           const ParameterVectors<Tf32>& all, int max_images) {
  return make_all(spec, all, max_images);
}

template <>
std::vector<PlacedStage<__half>> make_stages(const NetworkSpec& spec,
                                             const ParameterVectors<__half>& all, int max_images) {
  return make_all(spec, all, max_images);
}

template <>
std::vector<PlacedStage<__nv_bfloat16>> make_stages(const NetworkSpec& spec,
                                                    const ParameterVectors<__nv_bfloat16>& all,
                                                    int max_images) {
  return make_all(spec, all, max_images);
}

}  // namespace tut::ch16
