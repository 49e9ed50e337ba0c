// Kernels of vectors, of rows, and of a training's parameters.
#include <doctest/doctest.h>

#include <algorithm>

#include "03_first_kernels/add_ten.hpp"
#include "03_first_kernels/clamp.hpp"
#include "03_first_kernels/reverse.hpp"
#include "03_first_kernels/saxpy.hpp"
#include "03_first_kernels/vector_add.hpp"
#include "05_shared_memory_tiling/reverse_blocks.hpp"
#include "06_finding_kernel_bugs/abs_max.hpp"
#include "06_finding_kernel_bugs/block_sums.hpp"
#include "06_finding_kernel_bugs/cooperation.hpp"
#include "06_finding_kernel_bugs/delta_rows.hpp"
#include "06_finding_kernel_bugs/row_norms.hpp"
#include "06_finding_kernel_bugs/row_sums.hpp"
#include "06_finding_kernel_bugs/smooth.hpp"
#include "06_finding_kernel_bugs/suffix_sums.hpp"
#include "06_finding_kernel_bugs/total.hpp"
#include "08_reductions/argmax.hpp"
#include "08_reductions/dot_product.hpp"
#include "08_reductions/histogram.hpp"
#include "08_reductions/layer_norm.hpp"
#include "08_reductions/log_sum_exp.hpp"
#include "08_reductions/mean_variance.hpp"
#include "08_reductions/min_max.hpp"
#include "08_reductions/rms_norm.hpp"
#include "08_reductions/scan.hpp"
#include "08_reductions/scan_rows.hpp"
#include "08_reductions/softmax_backward.hpp"
#include "08_reductions/softmax_online.hpp"
#include "08_reductions/softmax_passes.hpp"
#include "08_reductions/sum_atomic.hpp"
#include "08_reductions/sum_levels.hpp"
#include "08_reductions/sum_shared.hpp"
#include "08_reductions/sum_vectorized.hpp"
#include "08_reductions/sum_warp.hpp"
#include "12_mixed_precision/convert_fp8_e4m3.hpp"
#include "12_mixed_precision/least_squares.hpp"
#include "12_mixed_precision/loss_scale.hpp"
#include "12_mixed_precision/round_to_bfloat16.hpp"
#include "12_mixed_precision/round_to_half.hpp"
#include "12_mixed_precision/round_to_tf32.hpp"
#include "12_mixed_precision/sgd_fused.hpp"
#include "12_mixed_precision/sgd_master_weights.hpp"
#include "12_mixed_precision/unscale_and_check.hpp"
#include "14_layers_and_fusion/adam.hpp"
#include "14_layers_and_fusion/convert.hpp"
#include "14_layers_and_fusion/dropout.hpp"
#include "14_layers_and_fusion/dropout_add.hpp"
#include "14_layers_and_fusion/lion.hpp"
#include "14_layers_and_fusion/relu.hpp"
#include "14_layers_and_fusion/relu_bits.hpp"
#include "14_layers_and_fusion/sgd_momentum.hpp"
#include "14_layers_and_fusion/sigmoid.hpp"
#include "14_layers_and_fusion/smoothed_cross_entropy.hpp"
#include "14_layers_and_fusion/softmax_cross_entropy.hpp"
#include "16_cnn_trainer/add_weighted.hpp"
#include "16_cnn_trainer/classify.hpp"
#include "16_cnn_trainer/clip_gradient.hpp"
#include "16_cnn_trainer/confusion_matrix.hpp"
#include "16_cnn_trainer/scale_into.hpp"
#include "16_cnn_trainer/sgd_scheduled.hpp"
#include "sweep.hpp"

namespace {

using namespace tut;
using namespace tut::test;
using Index = std::int64_t;

constexpr Index INTS = 2'147'483'647;

int as_int(Index n) { return static_cast<int>(n); }
std::size_t as_size(Index n) { return static_cast<std::size_t>(n); }

std::span<float> floats(std::size_t size) { return {somewhere<float>(), size}; }
std::span<const float> in(Index size) { return {somewhere<float>(), as_size(size)}; }
std::span<float> out(Index size) { return floats(as_size(size)); }

}  // namespace

TEST_CASE("vectors whose length is an int") {
  float* const x = somewhere<float>();
  sweep("vector_add", INTS, [=](Index n) { ch03::vector_add(x, x, x, as_int(n)); });
  sweep("add_ten", INTS, [=](Index n) { ch03::add_ten(x, as_int(n)); });
  sweep("reverse", INTS, [=](Index n) { ch03::reverse(x, as_int(std::max<Index>(n, 2))); });
  sweep("block_sums", INTS, [=](Index n) { ch06::block_sums(x, as_int(n), x); });
  sweep("block_sums_in_step", INTS, [=](Index n) { ch06::block_sums_in_step(x, as_int(n), x); });
  sweep("block_sums_by_neighbours", INTS,
        [=](Index n) { ch06::block_sums_by_neighbours(x, as_int(n), x); });
  sweep("reverse_blocks", INTS, [=](Index n) { ch05::reverse_blocks(x, as_int(n), x); });
  sweep("reverse_blocks_of", INTS, [=](Index n) { ch05::reverse_blocks_of(x, as_int(n), 100, x); });
  sweep("gather_above", INTS,
        [=](Index n) { ch06::gather_above(x, as_int(n), 0.0f, x, somewhere<int>()); });
  sweep("divide_by_first", INTS,
        [=](Index n) { ch06::divide_by_first(x, as_int(n), x, x, somewhere<unsigned>()); });
  sweep("warp_sums", INTS, [=](Index n) { ch06::warp_sums(x, as_int(n), x); });
  sweep("abs_max", INTS, [=](Index n) { ch06::abs_max(x, as_int(n), x); });
  sweep("smooth", INTS, [=](Index n) { ch06::smooth(x, as_int(n), x); });
  sweep("suffix_sums", INTS,
        [=](Index n) { ch06::suffix_sums(somewhere<int>(), as_int(n), somewhere<int>()); });
  sweep("total", INTS, [=](Index n) { ch06::total(x, as_int(n), x, x, somewhere<unsigned>()); });
}

TEST_CASE("vectors of any length") {
  float* const x = somewhere<float>();
  sweep("saxpy", ELEMENTS, [=](Index n) { ch03::saxpy(2, x, x, n); });
  sweep("clamp", ELEMENTS, [=](Index n) { ch03::clamp(x, n, 0, 1, 1000); });
  sweep("sum_atomic", ELEMENTS, [=](Index n) { ch08::sum_atomic(in(n), x); });
  sweep("sum_shared", ELEMENTS,
        [=](Index n) { ch08::sum_shared(in(n), floats(ch08::sum_levels_scratch(as_size(n))), x); });
  sweep("sum_warp", ELEMENTS,
        [=](Index n) { ch08::sum_warp(in(n), floats(ch08::sum_levels_scratch(as_size(n))), x); });
  sweep("sum_vectorized", ELEMENTS, [=](Index n) {
    ch08::sum_vectorized(in(n), floats(ch08::sum_vectorized_scratch(as_size(n))),
                         somewhere<unsigned>(), x);
  });
  sweep("dot_product", ELEMENTS, [=](Index n) {
    ch08::dot_product(in(n), in(n), floats(ch08::dot_product_scratch(as_size(n))),
                      somewhere<unsigned>(), x);
  });
  sweep("scan", ELEMENTS, [](Index n) {
    const auto ints = [](std::size_t size) { return std::span<int>(somewhere<int>(), size); };
    ch08::scan(ints(as_size(n)), ints(ch08::scan_scratch(as_size(n))), ints(as_size(n)));
  });
  sweep("argmax", ELEMENTS, [=](Index n) {
    const auto size = static_cast<Index>(ch08::argmax_scratch(as_size(n)));
    ch08::argmax(in(n), Elements{size}, somewhere<ch08::ArgMax>());
  });
  sweep("min_max", ELEMENTS, [=](Index n) {
    ch08::min_max(in(n), floats(ch08::min_max_scratch(as_size(n))), somewhere<ch08::MinMax>());
  });
  sweep("histogram", ELEMENTS, [](Index n) { ch08::histogram(Elements{n}, Elements{256}); });
  sweep("histogram_atomic", ELEMENTS,
        [](Index n) { ch08::histogram_atomic(Elements{n}, Elements{256}); });
}

TEST_CASE("conversions and elementwise layers") {
  using Halves = std::span<const __half>;
  sweep("to_fp8_e4m3", ELEMENTS, [](Index n) { ch12::to_fp8_e4m3(in(n), Elements{n}); });
  sweep("from_fp8_e4m3", ELEMENTS, [](Index n) { ch12::from_fp8_e4m3(Elements{n}, out(n)); });
  sweep("round_to_bfloat16", ELEMENTS,
        [](Index n) { ch12::round_to_bfloat16(in(n), Elements{n}); });
  sweep("round_to_half", ELEMENTS, [](Index n) { ch12::round_to_half(in(n), Elements{n}); });
  sweep("round_to_tf32", ELEMENTS, [](Index n) { ch12::round_to_tf32(in(n), out(n)); });
  sweep("unscale_and_check", ELEMENTS, [](Index n) {
    ch12::unscale_and_check(in(n), out(n), somewhere<ch12::LossScale>());
    ch12::unscale_and_check(Halves(Elements{n}), out(n), somewhere<ch12::LossScale>());
  });
  sweep("convert", ELEMENTS, [](Index n) { ch14::convert(in(n), std::span<__half>(Elements{n})); });
  sweep("dropout", ELEMENTS, [](Index n) { ch14::dropout(in(n), out(n), {}); });
  sweep("dropout_add", ELEMENTS, [](Index n) { ch14::dropout_add(in(n), in(n), out(n), {}); });
  sweep("relu", ELEMENTS, [](Index n) { ch14::relu(in(n), out(n)); });
  sweep("relu_backward", ELEMENTS, [](Index n) { ch14::relu_backward(in(n), in(n), out(n)); });
  sweep("relu_bits", ELEMENTS,
        [](Index n) { ch14::relu_bits(in(n), out(n), Elements{(n + 31) / 32}); });
  sweep("relu_bits_backward", ELEMENTS,
        [](Index n) { ch14::relu_bits_backward(Elements{(n + 31) / 32}, in(n), out(n)); });
  sweep("sigmoid", ELEMENTS, [](Index n) { ch14::sigmoid(in(n), out(n)); });
  sweep("sigmoid_backward", ELEMENTS,
        [](Index n) { ch14::sigmoid_backward(in(n), in(n), out(n)); });
  sweep("add_weighted", ELEMENTS, [](Index n) { ch16::add_weighted(in(n), 1, true, out(n)); });
  sweep("scale_into", ELEMENTS,
        [](Index n) { ch16::scale_into(in(n), somewhere<float>(), out(n)); });
}

TEST_CASE("steps of an optimiser") {
  const auto* scale = somewhere<ch12::LossScale>();
  sweep("sgd_master_weights", ELEMENTS, [=](Index n) {
    ch12::sgd_master_weights(out(n), out(n), in(n), Elements{n}, scale, 0.1f, 0.9f);
  });
  sweep("sgd_fused", ELEMENTS, [=](Index n) {
    ch12::sgd_fused(out(n), out(n), Elements{n}, Elements{n}, scale, 0.1f, 0.9f);
  });
  sweep("adam", ELEMENTS, [](Index n) { ch14::adam(out(n), out(n), out(n), in(n), 1, {}); });
  sweep("lion", ELEMENTS, [](Index n) { ch14::lion(out(n), out(n), in(n), {}); });
  sweep("sgd_momentum", ELEMENTS, [](Index n) { ch14::sgd_momentum(out(n), out(n), in(n), {}); });
  sweep("sgd_scheduled", ELEMENTS, [](Index n) {
    ch16::sgd_scheduled(out(n), out(n), in(n), {}, 0.9f, somewhere<std::uint32_t>());
  });
  sweep("clip_gradient", ELEMENTS, [](Index n) {
    ch16::clip_gradient(out(n), 1, floats(ch16::clip_gradient_scratch(as_size(n))),
                        somewhere<float>());
  });
}

TEST_CASE("rows, many and long") {
  const auto m = [](Index r, Index c) { return matrix<float>(r, c); };
  const auto many = [&](const std::string& name, Index longest, auto run) {
    for (const int cols : {1, 10, 1000}) {
      sweep(name + ", rows", ROWS, [&](Index n) { run(n, cols); });
    }
    sweep(name + ", columns", longest, [&](Index n) { run(9, n); });
  };
  many("softmax_online", ROWS, [=](Index r, Index c) { ch08::softmax_online(m(r, c), m(r, c)); });
  many("softmax_passes", ROWS, [=](Index r, Index c) { ch08::softmax_passes(m(r, c), m(r, c)); });
  many("softmax_backward", 4096,
       [=](Index r, Index c) { ch08::softmax_backward(m(r, c), m(r, c), m(r, c)); });
  many("log_sum_exp", ROWS, [=](Index r, Index c) { ch08::log_sum_exp(m(r, c), out(r)); });
  many("mean_variance", ROWS,
       [=](Index r, Index c) { ch08::mean_variance(m(r, c), out(r), out(r)); });
  many("scan_rows", ROWS, [](Index r, Index c) {
    const MatrixView<int> ints{somewhere<int>(), as_int(r), as_int(c), c};
    ch08::scan_rows(ints, ints);
  });
  many("row_sums", ROWS, [=](Index r, Index c) { ch06::row_sums(m(r, c), somewhere<float>()); });
  many("row_norms", ROWS, [=](Index r, Index c) { ch06::row_norms(m(r, c), somewhere<float>()); });
  many("delta_rows", ROWS, [=](Index r, Index c) { ch06::delta_rows(m(r, c)); });
  constexpr int LONGEST = ch08::LONGEST_NORM_ROW;
  many("layer_norm", LONGEST,
       [=](Index r, Index c) { ch08::layer_norm(m(r, c), in(c), in(c), m(r, c), out(r), out(r)); });
  many("layer_norm_backward", LONGEST, [=](Index r, Index c) {
    ch08::layer_norm_backward(m(r, c), m(r, c), in(c), in(r), in(r), m(r, c), out(c), out(c),
                              floats(ch08::layer_norm_backward_scratch(as_int(r), as_int(c))));
  });
  many("rms_norm", LONGEST,
       [=](Index r, Index c) { ch08::rms_norm(m(r, c), in(c), m(r, c), out(r)); });
  many("rms_norm_backward", LONGEST, [=](Index r, Index c) {
    ch08::rms_norm_backward(m(r, c), m(r, c), in(c), in(r), m(r, c), out(c),
                            floats(ch08::rms_norm_backward_scratch(as_int(r), as_int(c))));
  });
}

TEST_CASE("scores of classes") {
  const auto m = [](Index r, Index c) { return matrix<float>(r, c); };
  sweep("softmax_cross_entropy", ROWS,
        [=](Index n) { ch14::softmax_cross_entropy(m(n, 10), Elements{n}, out(n), m(n, 10)); });
  sweep("smoothed_cross_entropy", ROWS, [=](Index n) {
    ch14::smoothed_cross_entropy(m(n, 10), Elements{n}, 0.1f, out(n), m(n, 10));
  });
  sweep("classify", ROWS, [=](Index n) { ch16::classify(m(n, 10), Elements{n}); });
  sweep("confusion_matrix", ELEMENTS, [](Index n) {
    ch16::confusion_matrix(Elements{n}, Elements{n}, matrix<unsigned>(10, 10));
  });
  sweep("least_squares_gradient", ROWS, [=](Index n) {
    ch12::least_squares_gradient(m(n, 10), in(10), in(n), somewhere<float>(), out(n), Elements{10});
  });
}
