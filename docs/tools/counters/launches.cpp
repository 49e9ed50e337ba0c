// Launches kernels of the course once each, for counters: on the CPU backend of `cucc --count`, on
// a GPU of Nsight Compute. See docs/tools/compare_counters.py.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "03_first_kernels/brighten.hpp"
#include "03_first_kernels/reverse.hpp"
#include "03_first_kernels/saxpy.hpp"
#include "03_first_kernels/vector_add.hpp"
#include "04_naive_cuda_matmul/matmul_batched.hpp"
#include "04_naive_cuda_matmul/matmul_coalesced.hpp"
#include "04_naive_cuda_matmul/matmul_column_major.hpp"
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"
#include "04_naive_cuda_matmul/matmul_uncoalesced.hpp"
#include "05_shared_memory_tiling/linear_relu.hpp"
#include "05_shared_memory_tiling/matmul_padded.hpp"
#include "05_shared_memory_tiling/matmul_rectangular.hpp"
#include "05_shared_memory_tiling/matmul_tiled.hpp"
#include "05_shared_memory_tiling/rotate_tiled.hpp"
#include "05_shared_memory_tiling/transpose_tiled.hpp"
#include "13_convolution/conv2d.hpp"
#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "13_convolution/conv2d_implicit.hpp"
#include "13_convolution/conv2d_implicit_backward_input.hpp"
#include "13_convolution/conv2d_implicit_backward_weights.hpp"
#include "14_layers_and_fusion/max_pool.hpp"
#include "14_layers_and_fusion/relu.hpp"
#include "14_layers_and_fusion/sgd_momentum.hpp"
#include "14_layers_and_fusion/softmax_cross_entropy.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/device_matrix.hpp"

namespace tut {
namespace {

DeviceBuffer<float> floats(std::int64_t size) {
  return DeviceBuffer<float>(std::vector<float>(static_cast<std::size_t>(size), 0.5f));
}

std::span<float> span_of(const DeviceBuffer<float>& buffer) {
  return {buffer.data(), buffer.size()};
}

void launch_vectors() {
  constexpr int n = 100000;
  const DeviceBuffer<float> x = floats(n), y = floats(n), z = floats(n);
  ch03::vector_add(x.data(), y.data(), z.data(), n);
  ch03::saxpy(2.0f, x.data(), y.data(), n);
  ch03::reverse(x.data(), n);
  ch14::relu(span_of(x), span_of(y));
  ch14::sgd_momentum(span_of(x), span_of(y), span_of(z), 0.1f, 0.9f);
}

void launch_images() {
  const DeviceMatrix<unsigned char> in(120, 200);
  DeviceMatrix<unsigned char> out(120, 200);
  ch03::brighten(in.view(), out.view(), 7);
}

/// Shapes that tiles divide, and one that they do not.
void launch_products(int m, int n, int k) {
  const DeviceMatrix<float> a(m, k), b(k, n), a_transposed(k, m), b_transposed(n, k);
  const DeviceBuffer<float> bias = floats(n);
  DeviceMatrix<float> c(m, n), c_transposed(n, m), a_turned(k, m);
  ch04::matmul_coalesced(a.view(), b.view(), c.view());
  ch04::matmul_uncoalesced(a.view(), b.view(), c.view());
  ch04::matmul_transposed_a(a_transposed.view(), b.view(), c.view());
  ch04::matmul_column_major(m, n, k, a_transposed.data(), m, b_transposed.data(), k,
                            c_transposed.data(), m);
  ch04::matmul_batched(a.view(), 0, b.view(), 0, c.view(), 0, 1);
  ch05::matmul_tiled(a.view(), b.view(), c.view());
  ch05::matmul_padded(a.view(), b.view(), c.view());
  ch05::matmul_rectangular(a.view(), b.view(), c.view());
  ch05::linear_relu(a.view(), b_transposed.view(), bias.data(), c.view());
  ch05::transpose_tiled(a.view(), a_turned.view());
  ch05::rotate_tiled(a.view(), a_turned.view());
}

void launch_network() {
  constexpr int images = 4, channels = 3, filters = 6, side = 28, edge = 5, left = 24;
  const DeviceBuffer<float> in = floats(images * channels * side * side), bias = floats(filters);
  const DeviceBuffer<float> weights = floats(filters * channels * edge * edge);
  const DeviceBuffer<float> out = floats(images * filters * left * left);
  const DeviceBuffer<float> pooled = floats(out.size() / 4);
  const TensorView<float> in_view{in.data(), images, channels, side, side};
  const TensorView<float> weights_view{weights.data(), filters, channels, edge, edge};
  const TensorView<float> out_view{out.data(), images, filters, left, left};
  const auto size = [](std::size_t count) { return floats(static_cast<std::int64_t>(count)); };
  const DeviceBuffer<float> scratch1 =
      size(ch13::conv2d_backward_input_scratch(out_view, weights_view));
  const DeviceBuffer<float> scratch2 =
      size(ch13::conv2d_backward_weights_scratch(out_view, weights_view));
  ch13::conv2d(in_view, weights_view, bias.data(), out_view);
  ch13::conv2d_backward_input(out_view, weights_view, in_view, span_of(scratch1));
  ch13::conv2d_backward_weights(in_view, out_view, weights_view, bias.data(), {span_of(scratch2)});
  ch13::conv2d_implicit(in_view, weights_view, bias.data(), out_view, {});
  ch13::conv2d_implicit_backward_input(out_view, weights_view, in_view, {});
  ch13::conv2d_implicit_backward_weights(in_view, out_view, weights_view, span_of(scratch2), {});
  ch14::max_pool(out_view, {pooled.data(), images, filters, left / 2, left / 2});
}

void launch_loss() {
  constexpr int batch = 100, classes = 10;
  const DeviceMatrix<float> scores(batch, classes);
  DeviceMatrix<float> d_scores(batch, classes);
  const DeviceBuffer<float> losses = floats(batch);
  const DeviceBuffer<std::uint8_t> labels(std::vector<std::uint8_t>(batch, 3));
  ch14::softmax_cross_entropy(scores.view(), {labels.data(), labels.size()}, span_of(losses),
                              d_scores.view());
}

}  // namespace
}  // namespace tut

int main() {
  tut::launch_vectors();
  tut::launch_images();
  tut::launch_products(128, 160, 64);
  tut::launch_products(100, 70, 90);
  tut::launch_network();
  tut::launch_loss();
  tut::check(cudaDeviceSynchronize());
}
