/// \file
/// What the stages of a network in FP32 compute with: one function an operation, so that a kernel
/// of one's own can take the place of the course's.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "13_convolution/convolution_shape.hpp"
#include "14_layers_and_fusion/lion.hpp"
#include "tut/matrix_view.hpp"
#include "tut/tensor_view.hpp"

namespace tut::ch16 {

/// Each function has the contract of the one that its comment names. `scratch` is as large as that
/// one asks for; another may leave it alone.
struct Kernels {
  /// ch13::conv2d.
  std::function<void(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                     TensorView<float> out, ch13::Conv2dOptions options, cudaStream_t stream)>
      conv2d;

  /// ch13::conv2d_backward_input.
  std::function<void(TensorView<const float> d_out, TensorView<const float> weights,
                     TensorView<float> d_in, std::span<float> scratch, ch13::Conv2dOptions options,
                     cudaStream_t stream)>
      conv2d_backward_input;

  /// ch13::conv2d_backward_weights.
  std::function<void(TensorView<const float> in, TensorView<const float> d_out,
                     TensorView<float> d_weights, float* d_bias, std::span<float> scratch,
                     ch13::Conv2dOptions options, cudaStream_t stream)>
      conv2d_backward_weights;

  using Dense = std::function<void(MatrixView<const float> in, MatrixView<const float> weights,
                                   const float* bias, MatrixView<float> out,
                                   std::span<float> scratch, cudaStream_t stream)>;
  /// ch14::dense.
  Dense dense;
  /// ch14::dense, then ch14::relu on what it gave.
  Dense dense_relu;

  /// ch14::dense_backward.
  std::function<void(MatrixView<const float> in, MatrixView<const float> weights,
                     MatrixView<const float> d_out, MatrixView<float> d_in,
                     MatrixView<float> d_weights, float* d_bias, cudaStream_t stream)>
      dense_backward;

  /// ch14::softmax_cross_entropy, of scores and gradients that do not overlap.
  std::function<void(MatrixView<const float> scores, std::span<const std::uint8_t> labels,
                     std::span<float> losses, MatrixView<float> d_scores, cudaStream_t stream)>
      softmax_cross_entropy;

  /// ch14::relu_bits and ch14::relu_bits_backward. The course has none but as an exercise: empty
  /// both, ch14::relu and its gradient, which need no bits, take their place.
  std::function<void(std::span<const float> in, std::span<float> out, std::span<std::uint32_t> bits,
                     cudaStream_t stream)>
      relu_bits;
  std::function<void(std::span<const std::uint32_t> bits, std::span<const float> d_out,
                     std::span<float> d_in, cudaStream_t stream)>
      relu_bits_backward;

  /// ch14::lion, an exercise as well: empty, that optimiser cannot be chosen.
  std::function<void(std::span<float> parameters, std::span<float> m,
                     std::span<const float> gradient, const ch14::LionOptions& options,
                     cudaStream_t stream)>
      lion;
};

/// The course's kernels of chapters 13 and 14.
Kernels reference_kernels();

}  // namespace tut::ch16
