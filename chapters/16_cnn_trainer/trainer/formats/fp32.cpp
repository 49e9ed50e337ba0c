#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "13_convolution/conv2d_tiles.hpp"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/max_pool.hpp"
#include "16_cnn_trainer/scale_into.hpp"
#include "16_cnn_trainer/trainer/formats/batch_norm.hpp"
#include "16_cnn_trainer/trainer/formats/elementwise.hpp"
#include "16_cnn_trainer/trainer/formats/number_format.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch16 {

namespace {

using FloatStage = Stage<float>;

/// What the launches of a stage are made from.
struct Parts {
  const ParameterVectors& all;
  int max_images;
  const Kernels& kernels;
  Plan& plan;

  template <class T>
  T* take(const ImageShape& shape) const {
    return plan.memory.take<T>(static_cast<std::size_t>(max_images) * shape.size());
  }
};

WeightedLayer weighted(const FloatStage& stage, const ParameterVectors& all) {
  const std::size_t weights = stage.first.weights.begin, bias = stage.first.bias.begin;
  return {stage.first, stage.in,   all.master + weights,   all.master + bias,  stage.out,
          stage.d_out, stage.d_in, all.gradient + weights, all.gradient + bias};
}

/// Fewer images may take more scratch memory than one more, which makes a group whole.
std::size_t scratch_of(const Convolution& c, int max_images) {
  constexpr int group = 8;  // images that chapter 13's kernels take together
  std::size_t largest = 0;
  Pass pass;
  for (int n = std::max(1, max_images - group + 1); n <= max_images; ++n) {
    pass.images = n;
    largest =
        std::max({largest, ch13::conv2d_backward_weights_scratch(c.d_outputs(pass), c.filters()),
                  ch13::conv2d_backward_input_scratch(c.d_outputs(pass), c.filters())});
  }
  return largest;
}

std::size_t scratch_of(const Dense& d, int max_images) {
  std::size_t largest = 0;
  for (int n = 1; n <= max_images; n = n < max_images ? std::min(2 * n, max_images) : n + 1) {
    largest = std::max(largest, ch14::dense_scratch(n, d.input_count(), d.layer.outputs));
  }
  return largest;
}

/// The gradient of the images, which a first layer would compute, is not needed.
Launches convolution(const Convolution& c, bool first, const Parts& parts) {
  parts.plan.want_scratch(scratch_of(c, parts.max_images));
  Launches launches;
  launches.forward = {parts.kernels.conv2d(c)};
  launches.backward = {parts.kernels.conv2d_backward_weights(c)};
  if (!first) launches.backward.push_back(parts.kernels.conv2d_backward_input(c));
  return launches;
}

/// Whether ch14::conv2d_bias_relu_max_pool is the better kernel for such a layer.
bool suits_pooled_tiles(const Convolution& c, int max_images) {
  const ImageShape& in = c.layer.in;
  return ch13::suits_tiles({max_images, in.channels, in.rows, in.cols, c.layer.outputs,
                            c.layer.side, c.layer.padding, c.layer.stride});
}

/// The convolution and, without the bias that it leaves to that, what follows it.
std::vector<Launch> forward_in_two(const PooledConvolution& c, float* sums, const Parts& parts) {
  const Layer& layer = c.layer;
  auto* const zeros = parts.plan.memory.take<float>(layer.bias.size);
  check(cudaMemset(zeros, 0, layer.bias.size * sizeof(float)));
  Convolution without_bias = c;
  without_bias.bias = zeros;
  without_bias.out = sums;
  return {parts.kernels.conv2d(without_bias), [=](const Pass& pass) {
            ch14::bias_relu_max_pool(planes<const float>(sums, pass.images, c.layer.out), c.bias,
                                     c.pooled_outputs(pass), c.all_winners(pass), pass.stream);
          }};
}

/// Convolution, ReLU and max-pooling. Of what lies between them nothing is kept but a byte a
/// window.
Launches convolution_and_pool(const FloatStage& stage, const Parts& parts) {
  PooledConvolution c{{weighted(stage, parts.all)}, stage.last.out};
  c.winners = parts.take<ch14::Winner>(c.pooled);
  float* const d_bias = std::exchange(c.d_bias, nullptr);
  auto* const d_sums = parts.take<float>(c.layer.out);
  const float* const d_pooled = std::exchange(c.d_out, d_sums);
  const int filters = c.layer.outputs;
  const ch14::BiasSums bias_sums{
      parts.plan.memory.take<float>(ch14::bias_sums_size(filters)),
      parts.plan.memory.take<unsigned>(static_cast<std::size_t>(filters))};
  check(cudaMemset(bias_sums.finished, 0, static_cast<std::size_t>(filters) * sizeof(unsigned)));

  Launches launches = convolution(c, stage.place == 0, parts);
  const auto& fused = parts.kernels.conv2d_bias_relu_max_pool;
  if (fused && suits_pooled_tiles(c, parts.max_images)) {
    launches.forward = {fused(c)};
  } else {
    // The gradient overwrites the sums, which are not needed any more.
    launches.forward = forward_in_two(c, d_sums, parts);
  }
  Launches pool;
  pool.backward = {[=](const Pass& pass) {
    ch14::bias_relu_max_pool_backward(c.all_winners(pass), planes(d_pooled, pass.images, c.pooled),
                                      planes(d_sums, pass.images, c.layer.out), d_bias, bias_sums,
                                      pass.stream);
  }};
  launches.append(std::move(pool));
  return launches;
}

Launches dense(const FloatStage& stage, const Parts& parts) {
  const Dense d{weighted(stage, parts.all)};
  parts.plan.want_scratch(scratch_of(d, parts.max_images));
  Launches launches;
  launches.forward = {parts.kernels.dense(d)};
  launches.backward = {parts.kernels.dense_backward(d)};
  return launches;
}

Launches dense_and_relu(const FloatStage& stage, const Parts& parts) {
  Dense d{weighted(stage, parts.all)};
  parts.plan.want_scratch(scratch_of(d, parts.max_images));
  auto* const d_sums = parts.take<float>(stage.last.out);  // the gradient before the ReLU
  d.d_out = d_sums;
  Launches launches;
  launches.forward = {parts.kernels.dense_relu(d)};
  launches.backward = {[=](const Pass& pass) {
                         ch14::relu_backward(
                             values<const float>(stage.out, pass.images, stage.last.out),
                             stage.d_outputs(pass), values(d_sums, pass.images, stage.last.out),
                             pass.stream);
                       },
                       parts.kernels.dense_backward(d)};
  return launches;
}

Launches max_pool(const FloatStage& stage) {
  const ImageShape &in = stage.first.in, &out = stage.last.out;
  Launches launches;
  launches.forward = {[=](const Pass& pass) {
    ch14::max_pool(planes(stage.input(pass), pass.images, in), planes(stage.out, pass.images, out),
                   pass.stream);
  }};
  launches.backward = {[=](const Pass& pass) {
    ch14::max_pool_backward(planes(stage.input(pass), pass.images, in),
                            planes(stage.d_out, pass.images, out),
                            planes(stage.d_in, pass.images, in), pass.stream);
  }};
  return launches;
}

Launches batch_norm(const FloatStage& stage, const Parts& parts) {
  const BatchNorm norm(stage.first, parts.all, parts.plan.memory);
  const ImageShape& shape = stage.first.in;
  Launches launches;
  launches.forward = {[=](const Pass& pass) {
    norm.forward(planes(stage.input(pass), pass.images, shape),
                 planes(stage.out, pass.images, shape), pass);
  }};
  launches.backward = {[=](const Pass& pass) {
    norm.backward(planes(stage.input(pass), pass.images, shape),
                  planes(stage.d_out, pass.images, shape), planes(stage.d_in, pass.images, shape),
                  pass);
  }};
  return launches;
}

Launches launches_of(const FloatStage& stage, const Parts& parts) {
  switch (stage.first.kind) {
    case LayerKind::conv:
      if (stage.layers > 1) return convolution_and_pool(stage, parts);
      return convolution({weighted(stage, parts.all)}, stage.place == 0, parts);
    case LayerKind::relu:
      return parts.kernels.relu(stage, parts.max_images);
    case LayerKind::sigmoid:
      return sigmoid(stage);
    case LayerKind::maxpool:
      return max_pool(stage);
    case LayerKind::dropout:
      return dropout(stage);
    case LayerKind::batchnorm:
      return batch_norm(stage, parts);
    case LayerKind::dense:
      return stage.layers > 1 ? dense_and_relu(stage, parts) : dense(stage, parts);
  }
  return {};
}

}  // namespace

std::size_t layers_of_fp32_stage(std::span<const Layer> layers) {
  const auto kinds_are = [&](std::initializer_list<LayerKind> kinds) {
    return layers.size() >= kinds.size() &&
           std::equal(kinds.begin(), kinds.end(), layers.begin(),
                      [](LayerKind kind, const Layer& layer) { return layer.kind == kind; });
  };
  if (kinds_are({LayerKind::conv, LayerKind::relu, LayerKind::maxpool})) return 3;
  if (kinds_are({LayerKind::dense, LayerKind::relu})) return 2;
  return 1;
}

Plan plan_fp32(const NetworkSpec& spec, const ParameterVectors& vectors, int max_images,
               const Kernels& kernels) {
  Plan plan;
  const Parts parts{vectors, max_images, kernels, plan};
  const ImageShape output = spec.output();
  auto* const d_scores = plan.d_scores = parts.take<float>(output);
  const auto stages =
      place_stages<float>(spec, max_images, layers_of_fp32_stage, nullptr, d_scores, plan.memory);
  for (const FloatStage& stage : stages) plan.launches.append(launches_of(stage, parts));
  plan.scores = stages.back().out;
  Launches scale;
  scale.backward = {[=](const Pass& pass) {
    if (pass.loss_scale == nullptr) return;
    const std::span<float> gradient = values(d_scores, pass.images, output);
    scale_into(gradient, pass.loss_scale, gradient, pass.stream);
  }};
  plan.launches.append(std::move(scale));
  return plan;
}

}  // namespace tut::ch16
