#include <algorithm>
#include <initializer_list>
#include <vector>

#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "13_convolution/conv2d_tiles.hpp"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/conv2d_bias_relu_max_pool_backward.hpp"
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

/// What the gradients of the weights and of the images want for batches of up to max_images. Fewer
/// images may want more than one more, which makes a group whole.
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

/// Counters, all 0.
std::span<unsigned> counters(std::size_t count, const Parts& parts) {
  auto* const taken = parts.plan.memory.take<unsigned>(count);
  check(cudaMemset(taken, 0, count * sizeof(unsigned)));
  return {taken, count};
}

Convolution convolution_of(const FloatStage& stage, const Parts& parts) {
  Convolution c{weighted(stage, parts.all)};
  c.counters = counters(ch13::conv2d_backward_weights_counters(c.filters()), parts);
  parts.plan.want_scratch(scratch_of(c, parts.max_images));
  return c;
}

/// The gradient of the images, which a first layer would compute, is not needed.
std::vector<Launch> convolution_backward(const Convolution& c, bool first, const Parts& parts) {
  std::vector<Launch> launches{parts.kernels.conv2d_backward_weights(c)};
  if (!first) launches.push_back(parts.kernels.conv2d_backward_input(c));
  return launches;
}

Launches convolution(const FloatStage& stage, const Parts& parts) {
  const Convolution c = convolution_of(stage, parts);
  Launches launches;
  launches.forward = {parts.kernels.conv2d(c)};
  launches.backward = convolution_backward(c, stage.place == 0, parts);
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

/// What leads back through the pooling, which adds up the gradient of the bias, and through the
/// convolution. `d_sums` is the gradient between the two.
std::vector<Launch> backward_in_steps(const PooledConvolution& c, float* d_sums, bool first,
                                      const Parts& parts) {
  const auto filters = static_cast<std::size_t>(c.layer.outputs);
  const ch14::BiasSums sums{parts.plan.memory.take<float>(ch14::bias_sums_size(c.layer.outputs)),
                            counters(filters, parts).data()};
  Convolution alone = c;
  alone.d_bias = nullptr;
  alone.d_out = d_sums;
  std::vector<Launch> launches = convolution_backward(alone, first, parts);
  launches.insert(launches.begin(), [=](const Pass& pass) {
    ch14::bias_relu_max_pool_backward(c.all_winners(pass), c.d_pooled_outputs(pass),
                                      planes(d_sums, pass.images, c.layer.out), c.d_bias, sums,
                                      pass.stream);
  });
  return launches;
}

/// Convolution, ReLU and max-pooling. Of what lies between them nothing is kept but a byte a
/// window.
Launches convolution_and_pool(const FloatStage& stage, const Parts& parts) {
  PooledConvolution c{convolution_of(stage, parts), stage.last.out};
  c.winners = parts.take<ch14::Winner>(c.pooled);
  const bool first = stage.place == 0, suits = suits_pooled_tiles(c, parts.max_images);
  const auto& forward = parts.kernels.conv2d_bias_relu_max_pool;
  const auto& backward = parts.kernels.conv2d_bias_relu_max_pool_backward_weights;
  const bool one_forward = suits && forward, one_backward = suits && first && backward;
  // The gradient overwrites the sums, which are not needed any more.
  auto* const sums = one_forward && one_backward ? nullptr : parts.take<float>(c.layer.out);

  Launches launches;
  launches.forward = one_forward ? std::vector{forward(c)} : forward_in_two(c, sums, parts);
  if (one_backward) {
    Pass largest;
    largest.images = parts.max_images;
    parts.plan.want_scratch(ch14::conv2d_bias_relu_max_pool_backward_weights_scratch(
        c.images(largest), c.filters(), c.layer.padding));
    launches.backward = {backward(c)};
  } else {
    launches.backward = backward_in_steps(c, sums, first, parts);
  }
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
      return convolution(stage, parts);
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
