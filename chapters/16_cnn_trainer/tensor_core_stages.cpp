// Stages of networks whose activations and weights have 16 bits: products on tensor cores, and
// images with their channels innermost, NHWC.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "13_convolution/conv2d_wmma.hpp"
#include "13_convolution/conv2d_wmma_backward_input.hpp"
#include "13_convolution/conv2d_wmma_backward_weights.hpp"
#include "13_convolution/convert_layout.hpp"
#include "14_layers_and_fusion/max_pool_nhwc.hpp"
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

/// A layer of weights as a convolution. A dense layer is one whose filters cover the image, and
/// whose output is one pixel: then its weights need no other order than a convolution's.
struct Filters {
  explicit Filters(const Layer& layer)
      : count(layer.outputs),
        channels(layer.in.channels),
        side(layer.kind == LayerKind::dense ? layer.in.rows : layer.side) {
    if (layer.kind != LayerKind::dense || layer.in.rows == layer.in.cols) return;
    throw std::invalid_argument("a dense layer follows images of " + std::to_string(layer.in.rows) +
                                " x " + std::to_string(layer.in.cols) +
                                " pixels; in 16 bits it expects square ones");
  }

  template <class U>
  NhwcView<U> nhwc(U* data) const {
    return {data, count, side, side, channels};
  }
  template <class U>
  TensorView<U> nchw(U* data) const {
    return {data, count, channels, side, side};
  }
  std::size_t size() const { return static_cast<std::size_t>(nhwc<float>(nullptr).size()); }

  int count, channels, side;
};

/// A convolution or a dense layer.
template <class T>
class ProductStage : public Stage<T> {
 public:
  ProductStage(const Layer& layer, const ParameterVectors<T>& all)
      : layer_(layer), all_(all), filters_(layer), d_weights_(filters_.size()) {}

  bool can_skip_input() const override { return true; }

  std::size_t scratch_size(int max_images) const override {
    const int pixels = max_images * layer_.out.rows * layer_.out.cols;
    std::size_t largest = 0;
    // Slices of fewer pixels may be more.
    for (int some = pixels; some > 0; some /= 2) {
      largest = std::max(largest, ch13::conv2d_wmma_backward_weights_scratch(
                                      filters_.template nhwc<float>(nullptr), some));
    }
    return largest;
  }

  void refresh(const Pass& pass) override {
    ch13::nchw_to_nhwc<T>(filters_.nchw(all_.master + layer_.weights.begin),
                          filters_.nhwc(all_.working + layer_.weights.begin), pass.stream);
  }

  void forward(const T* in, T* out, const Pass& pass) override {
    ch13::conv2d_wmma<T, T>(images(in, pass.images, layer_.in), weights(),
                            all_.master + layer_.bias.begin, images(out, pass.images, layer_.out),
                            options(), pass.stream);
  }

  void backward(const T* in, const T*, const T* d_out, T* d_in, const Pass& pass) override {
    const auto d_images = images(d_out, pass.images, layer_.out);
    const auto d_weights = filters_.nhwc(d_weights_.data());
    ch13::conv2d_wmma_backward_weights<T>(images(in, pass.images, layer_.in), d_images, d_weights,
                                          all_.gradient + layer_.bias.begin, pass.scratch,
                                          options(), pass.stream);
    ch13::nhwc_to_nchw<float>(d_weights, filters_.nchw(all_.gradient + layer_.weights.begin),
                              pass.stream);
    if (d_in == nullptr) return;
    ch13::conv2d_wmma_backward_input<T, T>(
        d_images, weights(), images(d_in, pass.images, layer_.in), options(), pass.stream);
  }

 private:
  NhwcView<const T> weights() const {
    return filters_.template nhwc<const T>(all_.working + layer_.weights.begin);
  }
  Conv2dOptions options() const {
    return layer_.kind == LayerKind::dense ? Conv2dOptions{}
                                           : Conv2dOptions{layer_.padding, layer_.stride};
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
      throw std::invalid_argument("the network has a batchnorm layer; expected none in 16 bits");
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
