#include "16_cnn_trainer/trainer/network/network.hpp"

#include <utility>
#include <vector>

#include "tut/errors/require.hpp"

namespace tut::ch16 {

namespace {

int checked(int max_batch) {
  require(max_batch >= 1, {"the largest batch is ", max_batch, "; expected at least 1"});
  return max_batch;
}

Plan make_plan(const NetworkSpec& spec, const ParameterVectors& vectors, int max_batch,
               NumberFormat format, const Kernels& kernels) {
  Plan plan = format == NumberFormat::fp32 ? plan_fp32(spec, vectors, max_batch, kernels)
                                           : plan_on_tensor_cores(spec, vectors, max_batch, format);
  Launches loss;
  const auto classes = static_cast<int>(spec.output().size());
  loss.backward = {kernels.softmax_cross_entropy({plan.scores, plan.d_scores, classes})};
  plan.launches.append(std::move(loss));
  return plan;
}

}  // namespace

Network::Network(const NetworkSpec& spec, int max_batch, NumberFormat format,
                 const Kernels& kernels)
    : spec_(spec),
      max_batch_(checked(max_batch)),
      format_(format),
      parameters_(spec.parameters),
      gradient_(spec.parameters),
      state_(spec.state),
      plan_(make_plan(spec_, {parameters_.data(), gradient_.data(), state_.data()}, max_batch,
                      format, kernels)),
      scratch_(plan_.scratch) {
  state_.copy_from(initial_state(spec));
}

Pass Network::pass_of(TensorView<const float> images, cudaStream_t stream) const {
  require_tensor(images, "the batch", images.n, spec_.input.channels, spec_.input.rows,
                 spec_.input.cols, "images of the network's input");
  if (images.n < 1 || images.n > max_batch_) {
    require(false, {"the batch has ", images.n, " images; expected 1 to ", max_batch_});
  }
  Pass pass;
  pass.images = images.n;
  pass.batch = images.data;
  pass.scratch = {scratch_.data(), scratch_.size()};
  pass.stream = stream;
  return pass;
}

MatrixView<const float> Network::forward(TensorView<const float> images, cudaStream_t stream) {
  const Pass pass = pass_of(images, stream);
  for (const Launch& launch : plan_.launches.forward) launch(pass);
  const auto classes = static_cast<int>(spec_.output().size());
  return {plan_.scores, images.n, classes, classes};
}

void Network::backward(TensorView<const float> images, std::span<const std::uint8_t> labels,
                       std::span<float> losses, StepKey key, const float* loss_scale,
                       cudaStream_t stream) {
  Pass pass = pass_of(images, stream);
  pass.training = true;
  pass.seed = key.seed;
  pass.step = key.step;
  pass.labels = labels;
  pass.losses = losses;
  pass.loss_scale = loss_scale;
  //! [pass]
  for (const Launch& launch : plan_.launches.forward) launch(pass);
  for (const Launch& launch : plan_.launches.backward) launch(pass);
  //! [pass]
}

void Network::refresh(cudaStream_t stream) {
  Pass pass;
  pass.stream = stream;
  for (const Launch& launch : plan_.launches.refresh) launch(pass);
}

}  // namespace tut::ch16
