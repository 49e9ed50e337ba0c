#include "16_cnn_trainer/network.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "13_convolution/convert_layout.hpp"
#include "14_layers_and_fusion/convert.hpp"
#include "16_cnn_trainer/scale_into.hpp"
#include "16_cnn_trainer/stage.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {

namespace {

Pass make_pass(int images, bool training, StepKey key, cudaStream_t stream) {
  Pass pass;
  pass.images = images;
  pass.training = training;
  pass.seed = key.seed;
  pass.step = key.step;
  pass.stream = stream;
  return pass;
}

}  // namespace

std::string_view to_string(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32:
      return "fp32";
    case NumberFormat::tf32:
      return "tf32";
    case NumberFormat::fp16:
      return "fp16";
    case NumberFormat::bf16:
      return "bf16";
  }
  return "";
}

/// What does not depend on the type of the activations.
class Network::Impl {
 public:
  Impl(const NetworkSpec& network, int batch, NumberFormat number_format, const Kernels& to_use)
      : spec(network),
        max_batch(checked(batch)),
        format(number_format),
        kernels(to_use),
        parameters(network.parameters),
        gradient(network.parameters),
        state(network.state),
        scores(times(batch, network.output())),
        d_scores(times(batch, network.output())) {
    state.copy_from(initial_state(network));
  }
  virtual ~Impl() = default;

  virtual MatrixView<const float> forward(TensorView<const float> images, Pass pass) = 0;
  virtual void backward(const float* loss_scale, Pass pass) = 0;
  virtual void refresh(cudaStream_t stream) = 0;

  /// Throws std::invalid_argument unless the network can take the images.
  void require_images(TensorView<const float> images) const {
    require_tensor(images, "the batch", images.n, spec.input.channels, spec.input.rows,
                   spec.input.cols, "images of the network's input");
    if (images.n >= 1 && images.n <= max_batch) return;
    require(false, {"the batch has ", images.n, " images; expected 1 to ", max_batch});
  }

  template <class U>
  MatrixView<U> score_rows(U* data, int n) const {
    const int classes = static_cast<int>(spec.output().size());
    return {data, n, classes, classes};
  }

  static std::size_t times(int n, const ImageShape& shape) {
    return static_cast<std::size_t>(n) * shape.size();
  }

  NetworkSpec spec;
  int max_batch;
  NumberFormat format;
  Kernels kernels;
  DeviceBuffer<float> parameters, gradient, state;
  DeviceBuffer<float> scores, d_scores;  // in FP32, whatever the format

 private:
  static int checked(int batch) {
    require(batch >= 1, {"the largest batch is ", batch, "; expected at least 1"});
    return batch;
  }
};

/// Activations of type T.
template <class T>
class Network::Typed : public Network::Impl {
 public:
  Typed(const NetworkSpec& network, int batch, NumberFormat number_format, const Kernels& to_use)
      : Impl(network, batch, number_format, to_use),
        working_(kRounds ? network.parameters : 0),
        rounded_images_(kRounds ? times(batch, network.input) : 0),
        rounded_d_scores_(kRounds ? d_scores.size() : 0),
        stages_(all_stages()) {
    std::size_t scratch = 0, largest = 0;
    for (const PlacedStage<T>& placed : stages_) {
      scratch = std::max(scratch, placed.stage->scratch_size(batch));
      largest = std::max(largest, placed.in.size());
      outputs_.push_back(place(placed));
    }
    scratch_ = DeviceBuffer<float>(scratch);
    for (DeviceBuffer<T>& d_input : d_inputs_) d_input = DeviceBuffer<T>(batch * largest);
  }

  MatrixView<const float> forward(TensorView<const float> images, Pass pass) override {
    pass.images = images.n;
    pass.scratch = {scratch_.data(), scratch_.size()};
    const T* in = input_ = rounded(images, pass.stream);
    //! [forward]
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      stages_[i].stage->forward(in, outputs_[i], pass);
      in = outputs_[i];
    }
    //! [forward]
    return widened(in, pass);
  }

  void backward(const float* loss_scale, Pass pass) override {
    pass.scratch = {scratch_.data(), scratch_.size()};
    const T* d_out = scaled(loss_scale, pass);
    //! [backward]
    for (std::size_t i = stages_.size(); i-- > 0;) {
      Stage<T>& stage = *stages_[i].stage;
      const bool wanted = i > 0 || !stage.can_skip_input();
      T* d_in = wanted ? d_inputs_[i % 2].data() : nullptr;
      stage.backward(i > 0 ? outputs_[i - 1] : input_, outputs_[i], d_out, d_in, pass);
      d_out = d_in;
    }
    //! [backward]
  }

  void refresh(cudaStream_t stream) override {
    const Pass pass = make_pass(0, false, {}, stream);
    for (const PlacedStage<T>& placed : stages_) placed.stage->refresh(pass);
  }

 private:
  static constexpr bool kRounds = !std::is_same_v<T, float>;

  ParameterVectors<T> vectors() const {
    return {parameters.data(), working_.data(), gradient.data(), state.data()};
  }

  std::vector<PlacedStage<T>> all_stages() const {
    if constexpr (kRounds) {
      return make_stages<T>(spec, vectors(), max_batch);
    } else {
      return make_stages(spec, vectors(), max_batch, kernels);
    }
  }

  // Where a stage writes: over its input, or to a buffer of its own.
  T* place(const PlacedStage<T>& placed) {
    const bool over_input = !outputs_.empty() && placed.stage->in_place() &&
                            !stages_[outputs_.size() - 1].stage->keeps_output();
    if (over_input) return outputs_.back();
    return activations_.emplace_back(times(max_batch, placed.out)).data();
  }

  const T* rounded(TensorView<const float> images, cudaStream_t stream) {
    if constexpr (kRounds) {
      ch13::nchw_to_nhwc<T>(
          images, {rounded_images_.data(), images.n, images.h, images.w, images.c}, stream);
      return rounded_images_.data();
    } else {
      return images.data;
    }
  }

  MatrixView<const float> widened(const T* last, const Pass& pass) {
    if constexpr (kRounds) {
      const std::size_t size = times(pass.images, spec.output());
      ch14::convert({last, size}, {scores.data(), size}, pass.stream);
      return score_rows(scores.data(), pass.images);
    } else {
      return score_rows(last, pass.images);
    }
  }

  // The gradient with respect to the scores, times the loss scale.
  const T* scaled(const float* loss_scale, const Pass& pass) {
    const std::size_t size = times(pass.images, spec.output());
    const std::span<float> from{d_scores.data(), size};
    if constexpr (kRounds) {
      scale_into(from, loss_scale, {rounded_d_scores_.data(), size}, pass.stream);
      return rounded_d_scores_.data();
    } else {
      if (loss_scale != nullptr) scale_into(from, loss_scale, from, pass.stream);
      return d_scores.data();
    }
  }

  DeviceBuffer<T> working_, rounded_images_, rounded_d_scores_;
  std::vector<PlacedStage<T>> stages_;
  std::vector<DeviceBuffer<T>> activations_;
  std::vector<T*> outputs_;      // of the stages
  const T* input_ = nullptr;     // of the last forward pass
  DeviceBuffer<T> d_inputs_[2];  // of the stages, in turn
  DeviceBuffer<float> scratch_;
};

Network::Network(const NetworkSpec& spec, int max_batch, NumberFormat format,
                 const Kernels& kernels) {
  switch (format) {
    case NumberFormat::fp32:
      impl_ = std::make_unique<Typed<float>>(spec, max_batch, format, kernels);
      break;
    case NumberFormat::tf32:
      impl_ = std::make_unique<Typed<Tf32>>(spec, max_batch, format, kernels);
      break;
    case NumberFormat::fp16:
      impl_ = std::make_unique<Typed<__half>>(spec, max_batch, format, kernels);
      break;
    case NumberFormat::bf16:
      impl_ = std::make_unique<Typed<__nv_bfloat16>>(spec, max_batch, format, kernels);
      break;
  }
}

Network::~Network() = default;
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;

MatrixView<const float> Network::forward(TensorView<const float> images, cudaStream_t stream) {
  impl_->require_images(images);
  return impl_->forward(images, make_pass(images.n, false, {}, stream));
}

void Network::backward(TensorView<const float> images, std::span<const std::uint8_t> labels,
                       std::span<float> losses, StepKey key, const float* loss_scale,
                       cudaStream_t stream) {
  impl_->require_images(images);
  const Pass pass = make_pass(images.n, true, key, stream);
  const MatrixView<const float> scores = impl_->forward(images, pass);
  impl_->kernels.softmax_cross_entropy(scores, labels, losses,
                                       impl_->score_rows(impl_->d_scores.data(), images.n), stream);
  impl_->backward(loss_scale, pass);
}

void Network::refresh(cudaStream_t stream) { impl_->refresh(stream); }

const NetworkSpec& Network::spec() const { return impl_->spec; }
NumberFormat Network::format() const { return impl_->format; }
DeviceBuffer<float>& Network::parameters() { return impl_->parameters; }
const DeviceBuffer<float>& Network::parameters() const { return impl_->parameters; }
DeviceBuffer<float>& Network::gradient() { return impl_->gradient; }
const DeviceBuffer<float>& Network::gradient() const { return impl_->gradient; }
DeviceBuffer<float>& Network::state() { return impl_->state; }
const DeviceBuffer<float>& Network::state() const { return impl_->state; }

}  // namespace tut::ch16
