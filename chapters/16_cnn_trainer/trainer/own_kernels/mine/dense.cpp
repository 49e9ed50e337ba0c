#include <memory>

#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"
#include "05_shared_memory_tiling/transpose_tiled.hpp"
#include "14_layers_and_fusion/bias.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/adapters.hpp"
#include "tut/device/device_buffer.hpp"

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
  kernels.dense = [product](const Dense& d) -> Launch {
    const auto memory = std::make_shared<DeviceBuffer<float>>(d.layer.weights.size);
    return [d, product, memory](const Pass& pass) {
      const MatrixView<const float> weights = d.weight_rows();
      const MatrixView<float> turned{memory->data(), weights.cols, weights.rows, weights.rows};
      const MatrixView<float> out = d.outputs(pass);
      ch05::transpose_tiled(weights, turned, pass.stream);
      product(d.inputs(pass), turned, out, pass.stream);
      ch14::add_bias(as_tensor(MatrixView<const float>(out)), d.bias, as_tensor(out), pass.stream);
    };
  };
}

// d_in = d_out W, d_weights = d_outᵀ in.
void use_in_dense_backward(Matmul product, Kernels& kernels) {
  kernels.dense_backward = [product](const Dense& d) -> Launch {
    return [d, product](const Pass& pass) {
      const MatrixView<const float> d_out = d.d_outputs(pass);
      product(d_out, d.weight_rows(), d.d_inputs(pass), pass.stream);
      ch04::matmul_transposed_a(d_out, d.inputs(pass), d.d_weight_rows(), pass.stream);
      ch14::bias_backward(as_tensor(d_out), d.d_bias, pass.stream);
    };
  };
}

}  // namespace tut::ch16::mine
