// Networks whose activations and weights are rounded, to TF32 or 16 bits: products on
// tensor cores, and images with their channels innermost, NHWC.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "13_convolution/conv2d_wmma.hpp"
#include "13_convolution/conv2d_wmma_backward_input.hpp"
#include "13_convolution/conv2d_wmma_backward_weights.hpp"
#include "13_convolution/convert_layout.hpp"
#include "14_layers_and_fusion/convert.hpp"
#include "14_layers_and_fusion/max_pool_nhwc.hpp"
#include "16_cnn_trainer/scale_into.hpp"
#include "16_cnn_trainer/trainer/formats/batch_norm.hpp"
#include "16_cnn_trainer/trainer/formats/elementwise.hpp"
#include "16_cnn_trainer/trainer/formats/number_format.hpp"
#include "tut/numeric/tf32.hpp"

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

/// What the launches of a stage are made from.
template <class T>
struct RoundedParts {
  const ParameterVectors& all;
  T* working;  // the parameters, rounded
  int max_images;
  Plan& plan;

  template <class U>
  U* take(const ImageShape& shape) const {
    return plan.memory.take<U>(static_cast<std::size_t>(max_images) * shape.size());
  }
};

std::size_t scratch_of(const Layer& layer, const Filters& filters, int max_images) {
  std::size_t largest = 0;
  // In a dense layer an image is one pixel. There may be more slices if each has fewer pixels.
  for (int pixels = max_images * layer.out.rows * layer.out.cols; pixels > 0; pixels /= 2) {
    largest = std::max(largest, ch13::conv2d_wmma_backward_weights_scratch(
                                    filters.operands<float>(nullptr), pixels));
  }
  return largest;
}

/// A convolution or a dense layer.
template <class T>
Launches product(const Stage<T>& stage, const RoundedParts<T>& parts) {
  const Layer& layer = stage.first;
  const Filters filters(layer);
  parts.plan.want_scratch(scratch_of(layer, filters, parts.max_images));
  const float* const master = parts.all.master + layer.weights.begin;
  const float* const bias = parts.all.master + layer.bias.begin;
  T* const rounded = parts.working + layer.weights.begin;
  const NhwcView<const T> weights = filters.operands<const T>(rounded);
  float* const d_master = parts.all.gradient + layer.weights.begin;
  float* const d_bias = parts.all.gradient + layer.bias.begin;
  auto* const d_weights = parts.plan.memory.template take<float>(filters.size());  // NHWC
  const Conv2dOptions options =
      filters.dense ? Conv2dOptions{} : Conv2dOptions{layer.padding, layer.stride};
  const ImageShape in = filters.seen(layer.in), out = layer.out;

  Launches launches;
  launches.refresh = {[=](const Pass& pass) {
    ch13::nchw_to_nhwc<T>(filters.nchw(master), filters.nhwc(rounded), pass.stream);
  }};
  launches.forward = {[=](const Pass& pass) {
    ch13::conv2d_wmma<T, T>(images(stage.in, pass.images, in), weights, bias,
                            images(stage.out, pass.images, out), options, pass.stream);
  }};
  launches.backward = {[=](const Pass& pass) {
                         ch13::conv2d_wmma_backward_weights<T>(
                             images(stage.in, pass.images, in),
                             images(stage.d_out, pass.images, out), filters.operands(d_weights),
                             d_bias, pass.scratch, options, pass.stream);
                       },
                       [=](const Pass& pass) {
                         ch13::nhwc_to_nchw<float>(filters.nhwc<const float>(d_weights),
                                                   filters.nchw(d_master), pass.stream);
                       }};
  if (stage.place == 0) return launches;  // the gradient of the images is not needed
  launches.backward.push_back([=](const Pass& pass) {
    ch13::conv2d_wmma_backward_input<T, T>(images(stage.d_out, pass.images, out), weights,
                                           images(stage.d_in, pass.images, in), options,
                                           pass.stream);
  });
  return launches;
}

/// Max-pooling, after a ReLU or not.
template <class T>
Launches max_pool(const Stage<T>& stage, const RoundedParts<T>& parts) {
  const ImageShape &in = stage.last.in, &out = stage.last.out;
  auto* const winners = parts.template take<ch14::Winner>(out);
  const auto before = stage.layers > 1 ? ch14::BeforePool::relu : ch14::BeforePool::nothing;
  Launches launches;
  launches.forward = {[=](const Pass& pass) {
    ch14::max_pool_nhwc<T>(images(stage.in, pass.images, in), images(stage.out, pass.images, out),
                           values(winners, pass.images, out), before, pass.stream);
  }};
  launches.backward = {[=](const Pass& pass) {
    ch14::max_pool_nhwc_backward<T>(values<const ch14::Winner>(winners, pass.images, out),
                                    images(stage.d_out, pass.images, out),
                                    images(stage.d_in, pass.images, in), pass.stream);
  }};
  return launches;
}

/// Batch norm in FP32 and in planes: its sums are long, and few networks have much of it.
template <class T>
Launches batch_norm(const Stage<T>& stage, const RoundedParts<T>& parts) {
  const ImageShape& shape = stage.first.in;
  const BatchNorm norm(stage.first, parts.all, parts.plan.memory);
  auto* const in = parts.template take<float>(shape);
  auto* const other = parts.template take<float>(shape);  // the output, then the gradients
  Launches launches;
  launches.forward = {[=](const Pass& pass) {
    const auto in_planes = planes(in, pass.images, shape);
    const auto out_planes = planes(other, pass.images, shape);
    ch13::nhwc_to_nchw<T>(images(stage.in, pass.images, shape), in_planes, pass.stream);
    norm.forward(in_planes, out_planes, pass);
    ch13::nchw_to_nhwc<T>(out_planes, images(stage.out, pass.images, shape), pass.stream);
  }};
  launches.backward = {[=](const Pass& pass) {
    const auto gradient = planes(other, pass.images, shape);
    ch13::nhwc_to_nchw<T>(images(stage.d_out, pass.images, shape), gradient, pass.stream);
    norm.backward(planes(in, pass.images, shape), gradient, gradient, pass);
    ch13::nchw_to_nhwc<T>(gradient, images(stage.d_in, pass.images, shape), pass.stream);
  }};
  return launches;
}

template <class T>
Launches launches_of(const Stage<T>& stage, const RoundedParts<T>& parts) {
  switch (stage.first.kind) {
    case LayerKind::conv:
    case LayerKind::dense:
      return product(stage, parts);
    case LayerKind::relu:
      return stage.layers > 1 ? max_pool(stage, parts) : relu(stage);
    case LayerKind::sigmoid:
      return sigmoid(stage);
    case LayerKind::maxpool:
      return max_pool(stage, parts);
    case LayerKind::dropout:
      return dropout(stage);
    case LayerKind::batchnorm:
      return batch_norm(stage, parts);
  }
  return {};
}

std::size_t layers_of_rounded_stage(std::span<const Layer> layers) {
  const bool pooled = layers.size() > 1 && layers[0].kind == LayerKind::relu &&
                      layers[1].kind == LayerKind::maxpool;
  return pooled ? 2 : 1;
}

template <class T>
Plan plan_rounded(const NetworkSpec& spec, const ParameterVectors& vectors, int max_images) {
  Plan plan;
  const RoundedParts<T> parts{vectors, plan.memory.take<T>(spec.parameters), max_images, plan};
  const ImageShape input = spec.input, output = spec.output();
  auto* const batch = parts.template take<T>(input);
  auto* const scores = parts.template take<float>(output);
  auto* const d_scores = parts.template take<float>(output);
  auto* const rounded_d_scores = parts.template take<T>(output);
  plan.scores = scores;
  plan.d_scores = d_scores;
  const auto stages = place_stages<T>(spec, max_images, layers_of_rounded_stage, batch,
                                      rounded_d_scores, plan.memory);

  plan.launches.forward = {[=](const Pass& pass) {
    ch13::nchw_to_nhwc<T>(planes(pass.batch, pass.images, input), images(batch, pass.images, input),
                          pass.stream);
  }};
  for (const Stage<T>& stage : stages) plan.launches.append(launches_of(stage, parts));
  Launches ends;
  ends.forward = {[=, last = stages.back().out](const Pass& pass) {
    ch14::convert(values<const T>(last, pass.images, output), values(scores, pass.images, output),
                  pass.stream);
  }};
  ends.backward = {[=](const Pass& pass) {
    scale_into(values<const float>(d_scores, pass.images, output), pass.loss_scale,
               values(rounded_d_scores, pass.images, output), pass.stream);
  }};
  plan.launches.append(std::move(ends));
  return plan;
}

}  // namespace

Plan plan_on_tensor_cores(const NetworkSpec& spec, const ParameterVectors& vectors, int max_images,
                          NumberFormat format) {
  switch (format) {
    case NumberFormat::tf32:
      return plan_rounded<Tf32>(spec, vectors, max_images);
    case NumberFormat::fp16:
      return plan_rounded<__half>(spec, vectors, max_images);
    default:
      return plan_rounded<__nv_bfloat16>(spec, vectors, max_images);
  }
}

}  // namespace tut::ch16
