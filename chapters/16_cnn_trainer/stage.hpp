/// \file
/// One step of a network's forward and backward pass: a layer, or several in fused kernels.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "16_cnn_trainer/kernels.hpp"
#include "16_cnn_trainer/network_spec.hpp"
#include "tut/tf32.hpp"

namespace tut::ch16 {

/// One pass of a batch through the network.
struct Pass {
  int images = 0;
  bool training = false;     ///< dropout drops, batch norm uses the batch's statistics
  std::uint64_t seed = 0;    ///< of the dropout masks
  std::uint64_t step = 0;    ///< of the training: another step, other masks
  std::span<float> scratch;  ///< at least Stage::scratch_size floats of device memory
  cudaStream_t stream = nullptr;
};

/// The vectors of all parameters, in device memory; NetworkSpec says where each layer's lie.
template <class T>
struct ParameterVectors {
  const float* master = nullptr;  ///< what the optimiser updates
  T* working = nullptr;           ///< the same rounded, made by Stage::refresh; of float none
  float* gradient = nullptr;
  float* state = nullptr;  ///< running statistics of batch norm
};

/// Activations are of type T, image after image: NCHW if T is float, NHWC if it is another.
/// Gradients with respect to activations are of type T too, those with respect to parameters are
/// float.
template <class T>
class Stage {
 public:
  virtual ~Stage() = default;

  /// Whether forward may be given one tensor as both `in` and `out`, and backward as both `d_out`
  /// and `d_in`. Then backward does without the input.
  virtual bool in_place() const { return false; }
  /// Whether backward uses `out`, so that the next stage may not write over it. (A ReLU asks only
  /// whether it was above 0, which dropout does not change where it lets gradients through.)
  virtual bool keeps_output() const { return false; }
  /// Whether backward does with a null `d_in`.
  virtual bool can_skip_input() const { return false; }
  /// Floats of scratch memory for batches of up to `max_images`.
  virtual std::size_t scratch_size(int /*max_images*/) const { return 0; }

  /// Rounds this stage's parameters to their working copy, after the optimiser has changed them.
  virtual void refresh(const Pass& /*pass*/) {}
  virtual void forward(const T* in, T* out, const Pass& pass) = 0;
  /// Computes the gradients of this stage's parameters and that with respect to its input. `in` and
  /// `out` are those of the last forward pass.
  virtual void backward(const T* in, const T* out, const T* d_out, T* d_in, const Pass& pass) = 0;
};

/// A stage with the shape of one image before and after it.
template <class T>
struct PlacedStage {
  std::unique_ptr<Stage<T>> stage;
  ImageShape in, out;
};

/// The network's stages in order. A ReLU and a max-pooling that follow each other are one, every
/// other layer is one of its own. Device memory that a stage keeps between its passes is for up to
/// `max_images` images.
template <class T>
std::vector<PlacedStage<T>> make_stages(const NetworkSpec& spec, const ParameterVectors<T>& all,
                                        int max_images);
template <>
std::vector<PlacedStage<Tf32>> make_stages(const NetworkSpec& spec,
                                           const ParameterVectors<Tf32>& all, int max_images);
template <>
std::vector<PlacedStage<__half>> make_stages(const NetworkSpec& spec,
                                             const ParameterVectors<__half>& all, int max_images);
template <>
std::vector<PlacedStage<__nv_bfloat16>> make_stages(const NetworkSpec& spec,
                                                    const ParameterVectors<__nv_bfloat16>& all,
                                                    int max_images);

/// The stages in FP32, which compute with `kernels`; these must stay where they are as long as the
/// stages. What layers_of_float_stage puts together is one stage.
std::vector<PlacedStage<float>> make_stages(const NetworkSpec& spec,
                                            const ParameterVectors<float>& all, int max_images,
                                            const Kernels& kernels);

/// How many of these layers, from the first, one stage in FP32 computes: convolution, ReLU and
/// max-pooling; dense layer and ReLU; or the first alone.
std::size_t layers_of_float_stage(std::span<const Layer> layers);

}  // namespace tut::ch16
