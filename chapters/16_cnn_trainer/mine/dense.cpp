#include <memory>

#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"
#include "05_shared_memory_tiling/transpose_tiled.hpp"
#include "14_layers_and_fusion/bias.hpp"
#include "16_cnn_trainer/mine/adapters.hpp"

namespace tut::ch16::mine {

namespace {

// The rows of a matrix as images of one pixel: every column is a channel.
template <class T>
TensorView<T> as_tensor(MatrixView<T> rows) {
  return {rows.data, rows.rows, rows.cols, 1, 1};
}

}  // namespace

// out = in Wᵀ + bias: the weights are turned first (chapter 05's transpose), for a product C = AB.
void use_in_dense(Matmul product, Kernels& kernels) {
  const auto memory = std::make_shared<Workspace>();
  kernels.dense = [product, memory](auto in, auto weights, auto bias, auto out, auto, auto stream) {
    const std::size_t size = static_cast<std::size_t>(weights.rows) * weights.cols;
    const MatrixView<float> turned{memory->take(size).data(), weights.cols, weights.rows,
                                   weights.rows};
    ch05::transpose_tiled(weights, turned, stream);
    product(in, turned, out, stream);
    ch14::add_bias(as_tensor(MatrixView<const float>(out)), bias, as_tensor(out), stream);
  };
}

// d_in = d_out W, d_weights = d_outᵀ in.
void use_in_dense_backward(Matmul product, Kernels& kernels) {
  kernels.dense_backward = [product](auto in, auto weights, auto d_out, auto d_in, auto d_weights,
                                     auto d_bias, auto stream) {
    product(d_out, weights, d_in, stream);
    ch04::matmul_transposed_a(d_out, in, d_weights, stream);
    ch14::bias_backward(as_tensor(d_out), d_bias, stream);
  };
}

}  // namespace tut::ch16::mine
