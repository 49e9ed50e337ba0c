/// \file
/// What networks in FP32 compute with: one function an operation, so that a kernel of one's own can
/// take the place of the course's.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <span>

#include "13_convolution/convolution_shape.hpp"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/lion.hpp"
#include "16_cnn_trainer/trainer/network/stage.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch16 {

/// A layer with weights, and its tensors in device memory.
struct WeightedLayer {
  Layer layer;
  const float* in = nullptr;  ///< null: the batch itself
  const float *weights = nullptr, *bias = nullptr;
  float* out = nullptr;
  const float* d_out = nullptr;
  float *d_in = nullptr, *d_weights = nullptr, *d_bias = nullptr;

  const float* input(const Pass& pass) const { return in == nullptr ? pass.batch : in; }
};

struct Convolution : WeightedLayer {
  std::span<unsigned> counters = {};  ///< of ch13::conv2d_backward_weights, 0 between launches

  TensorView<const float> images(const Pass& pass) const {
    return planes(input(pass), pass.images, layer.in);
  }
  TensorView<const float> filters() const { return planes(weights, layer.outputs, filter()); }
  TensorView<float> outputs(const Pass& pass) const { return planes(out, pass.images, layer.out); }
  TensorView<const float> d_outputs(const Pass& pass) const {
    return planes(d_out, pass.images, layer.out);
  }
  TensorView<float> d_images(const Pass& pass) const { return planes(d_in, pass.images, layer.in); }
  TensorView<float> d_filters() const { return planes(d_weights, layer.outputs, filter()); }
  ch13::Conv2dOptions options() const { return {layer.padding, layer.stride}; }

 private:
  ImageShape filter() const { return {layer.in.channels, layer.side, layer.side}; }
};

/// A convolution whose output is pooled: `out` is the pooled tensor, and d_out the gradient of what
/// the convolution alone would give.
struct PooledConvolution : Convolution {
  ImageShape pooled;
  ch14::Winner* winners = nullptr;

  TensorView<float> pooled_outputs(const Pass& pass) const {
    return planes(out, pass.images, pooled);
  }
  std::span<ch14::Winner> all_winners(const Pass& pass) const {
    return values(winners, pass.images, pooled);
  }
  TensorView<const float> d_pooled_outputs(const Pass& pass) const {
    return planes(d_out, pass.images, pooled);
  }
};

struct Dense : WeightedLayer {
  int input_count() const { return static_cast<int>(layer.in.size()); }
  MatrixView<const float> inputs(const Pass& pass) const {
    return rows(input(pass), pass.images, input_count());
  }
  MatrixView<const float> weight_rows() const {
    return rows(weights, layer.outputs, input_count());
  }
  MatrixView<float> outputs(const Pass& pass) const {
    return rows(out, pass.images, layer.outputs);
  }
  MatrixView<const float> d_outputs(const Pass& pass) const {
    return rows(d_out, pass.images, layer.outputs);
  }
  MatrixView<float> d_inputs(const Pass& pass) const {
    return rows(d_in, pass.images, input_count());
  }
  MatrixView<float> d_weight_rows() const { return rows(d_weights, layer.outputs, input_count()); }

 private:
  template <class T>
  static MatrixView<T> rows(T* data, int n, int cols) {
    return {data, n, cols, cols};
  }
};

/// Scores and their gradient, which do not overlap.
struct Scores {
  const float* scores = nullptr;
  float* d_scores = nullptr;
  int classes = 0;

  MatrixView<const float> rows(const Pass& pass) const {
    return {scores, pass.images, classes, classes};
  }
  MatrixView<float> d_rows(const Pass& pass) const {
    return {d_scores, pass.images, classes, classes};
  }
};

/// Each function makes, for a layer's tensors, the launch of a kernel with the contract of the one
/// that its comment names.
struct Kernels {
  std::function<Launch(const Convolution&)> conv2d;                 ///< ch13::conv2d
  std::function<Launch(const Convolution&)> conv2d_backward_input;  ///< ch13::conv2d_backward_input
  /// ch13::conv2d_backward_weights. Before a max-pooling d_bias is null: that sums the gradient of
  /// the bias, over the pooled tensor.
  std::function<Launch(const Convolution&)> conv2d_backward_weights;
  /// ch14::conv2d_bias_relu_max_pool, for layers that suit it; empty: conv2d, then
  /// ch14::bias_relu_max_pool.
  std::function<Launch(const PooledConvolution&)> conv2d_bias_relu_max_pool;
  /// ch14::conv2d_bias_relu_max_pool_backward_weights, for first layers that suit it, where d_out
  /// is the gradient of the pooled tensor; empty: ch14::bias_relu_max_pool_backward, then
  /// conv2d_backward_weights.
  std::function<Launch(const PooledConvolution&)> conv2d_bias_relu_max_pool_backward_weights;

  std::function<Launch(const Dense&)> dense;                   ///< ch14::dense
  std::function<Launch(const Dense&)> dense_relu;              ///< ch14::dense, then ch14::relu
  std::function<Launch(const Dense&)> dense_backward;          ///< ch14::dense_backward
  std::function<Launch(const Scores&)> softmax_cross_entropy;  ///< ch14::softmax_cross_entropy

  /// ch14::relu and its gradient, for batches of up to `max_images`. Forwards in and out may be
  /// one; backwards `in` is no longer there.
  std::function<Launches(const Stage<float>&, int max_images)> relu;

  /// ch14::lion, an exercise: empty, that optimiser cannot be chosen.
  std::function<void(std::span<float> parameters, std::span<float> m,
                     std::span<const float> gradient, const ch14::LionOptions& options,
                     cudaStream_t stream)>
      lion;
};

/// The course's kernels of chapters 13 and 14.
Kernels reference_kernels();

}  // namespace tut::ch16
