/// \file
/// Number formats, and how a network runs in each of them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "16_cnn_trainer/trainer/formats/fp32_kernels.hpp"
#include "16_cnn_trainer/trainer/network/stage.hpp"

namespace tut::ch16 {

/// What activations and weights are while they are multiplied. Sums and the optimiser are FP32.
enum class NumberFormat {
  fp32,  ///< FP32 on CUDA cores
  tf32,  ///< TF32 activations and weights on tensor cores: FP32's range and memory
  fp16,  ///< FP16 likewise, in half the memory; needs a loss scale
  bf16   ///< bfloat16 likewise; its range is FP32's
};

/// "fp32", "tf32", "fp16", "bf16".
std::string_view to_string(NumberFormat format);

/// The network in FP32, of `kernels`, for batches of up to `max_images`; all but the loss.
Plan plan_fp32(const NetworkSpec& spec, const ParameterVectors& vectors, int max_images,
               const Kernels& kernels);

/// How many of these layers, from the first, are one stage in FP32: convolution, ReLU and
/// max-pooling; dense layer and ReLU; or the first alone.
std::size_t layers_of_fp32_stage(std::span<const Layer> layers);

/// The network in one of the other formats, on tensor cores; all but the loss. A ReLU and a
/// max-pooling that follow each other are one stage, every other layer is one of its own.
Plan plan_on_tensor_cores(const NetworkSpec& spec, const ParameterVectors& vectors, int max_images,
                          NumberFormat format);

}  // namespace tut::ch16
