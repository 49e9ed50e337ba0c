/// \file
/// A network as lists of launches, made once: between a layer and its kernel there is one call of a
/// std::function, which holds the kernel's launcher and its tensors.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "16_cnn_trainer/trainer/network/network_spec.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch16 {

/// One pass of a batch through the network.
struct Pass {
  int images = 0;
  const float* batch = nullptr;  ///< (images, C, H, W), device memory
  bool training = false;         ///< dropout drops, batch norm uses the batch's statistics
  std::uint64_t seed = 0;        ///< of the dropout masks
  std::uint64_t step = 0;        ///< of the training: another step, other masks
  std::span<const std::uint8_t> labels = {};  ///< (images), device memory, as losses and loss_scale
  std::span<float> losses = {};               ///< (images)
  const float* loss_scale = nullptr;          ///< what the gradient is multiplied by, or null
  std::span<float> scratch = {};              ///< at least Plan::scratch floats of device memory
  cudaStream_t stream = nullptr;
};

/// A launcher with its tensors: all that differs from one pass to the next is in the Pass.
using Launch = std::function<void(const Pass&)>;

/// What runs of a stage, or of a whole network.
struct Launches {
  std::vector<Launch> refresh;   ///< after the parameters have changed: rounds them
  std::vector<Launch> forward;   ///< from what goes in to what comes out
  std::vector<Launch> backward;  ///< from the gradient of what came out to that of what went in

  /// Adds those of the next stage: forwards they run after, backwards before these.
  void append(Launches next) {
    std::ranges::move(next.refresh, std::back_inserter(refresh));
    std::ranges::move(next.forward, std::back_inserter(forward));
    std::ranges::move(backward, std::back_inserter(next.backward));
    backward = std::move(next.backward);
  }
};

/// Device memory that lives as long as the launches that use it.
class Memory {
 public:
  template <class T>
  T* take(std::size_t size) {
    return reinterpret_cast<T*>(blocks_.emplace_back(size * sizeof(T)).data());
  }

 private:
  std::vector<DeviceBuffer<std::byte>> blocks_;
};

/// A network that is ready to run.
struct Plan {
  Launches launches;
  const float* scores = nullptr;  ///< (images, classes): what forward ends with
  float* d_scores = nullptr;      ///< the gradient of the loss, which backward begins with
  std::size_t scratch = 0;        ///< floats that some launch wants
  Memory memory;

  void want_scratch(std::size_t size) { scratch = std::max(scratch, size); }
};

/// The vectors of all parameters, in device memory; NetworkSpec says where each layer's lie.
struct ParameterVectors {
  const float* master = nullptr;  ///< what the optimiser updates
  float* gradient = nullptr;
  float* state = nullptr;  ///< running statistics of batch norm
};

/// Values of n images that follow each other.
template <class T>
std::span<T> values(T* data, int n, const ImageShape& shape) {
  return {data, static_cast<std::size_t>(n) * shape.size()};
}

/// Images in planes, NCHW.
template <class T>
TensorView<T> planes(T* data, int n, const ImageShape& shape) {
  return {data, n, shape.channels, shape.rows, shape.cols};
}

/// A layer, or several that are computed together, with the tensors around it. Activations are of
/// type T, image after image: NCHW if T is float, NHWC if it is another. Gradients with respect to
/// activations are of type T too, those with respect to parameters are float.
template <class T>
struct Stage {
  Layer first, last;
  std::size_t layers = 1;
  std::size_t place = 0;     ///< of the first in the network
  const T* in = nullptr;     ///< null: the batch itself
  T* out = nullptr;          ///< may be `in`: see place_stages
  const T* d_out = nullptr;  ///< the gradient with respect to out
  T* d_in = nullptr;         ///< ... and to in

  const T* input(const Pass& pass) const {
    if constexpr (std::is_same_v<T, float>) {
      if (in == nullptr) return pass.batch;
    }
    return in;
  }
  std::span<const T> inputs(const Pass& pass) const {
    return values(input(pass), pass.images, first.in);
  }
  std::span<T> outputs(const Pass& pass) const { return values(out, pass.images, last.out); }
  std::span<const T> d_outputs(const Pass& pass) const {
    return values(d_out, pass.images, last.out);
  }
  std::span<T> d_inputs(const Pass& pass) const { return values(d_in, pass.images, first.in); }
};

/// The stages of a network for batches of up to `max_images`: `layers_of_stage` of the layers that
/// are left are one. `batch` is what the first reads, `d_scores` the gradient of what the last
/// gives.
///
/// A ReLU and a dropout write over their input, unless the layer before them needs its output
/// again, as a sigmoid does: their gradients do without the input. (A ReLU asks only whether its
/// output was above 0, which dropout does not change where it lets gradients through. A sigmoid is
/// above 0 everywhere: over a ReLU's output it would hide where that was 0.)
template <class T>
std::vector<Stage<T>> place_stages(const NetworkSpec& spec, int max_images,
                                   std::size_t (*layers_of_stage)(std::span<const Layer>),
                                   const T* batch, const T* d_scores, Memory& memory) {
  const auto images = static_cast<std::size_t>(max_images);
  std::vector<Stage<T>> stages;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < spec.layers.size();) {
    const std::span rest = std::span(spec.layers).subspan(i);
    const std::size_t layers = layers_of_stage(rest);
    Stage<T> stage{rest[0], rest[layers - 1], layers, i, batch};
    const bool elementwise =
        layers == 1 && (rest[0].kind == LayerKind::relu || rest[0].kind == LayerKind::dropout);
    if (!stages.empty()) stage.in = stages.back().out;
    const bool over_input =
        elementwise && !stages.empty() && stages.back().last.kind != LayerKind::sigmoid;
    stage.out = over_input ? stages.back().out : memory.take<T>(images * stage.last.out.size());
    largest = std::max(largest, stage.first.in.size());
    stages.push_back(stage);
    i += layers;
  }
  // In turn: a stage reads one gradient and writes the other.
  T* const gradients[] = {memory.take<T>(images * largest), memory.take<T>(images * largest)};
  for (std::size_t i = stages.size(); i-- > 0;) {
    stages[i].d_out = i + 1 < stages.size() ? stages[i + 1].d_in : d_scores;
    stages[i].d_in = gradients[i % 2];
  }
  return stages;
}

}  // namespace tut::ch16
