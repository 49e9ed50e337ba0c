// Products and other kernels of matrices, each dimension grown alone.
#include <doctest/doctest.h>

#include "03_first_kernels/brighten.hpp"
#include "03_first_kernels/rgb_to_gray.hpp"
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
#include "07_register_tiling/linear_relu_register.hpp"
#include "07_register_tiling/matmul_async.hpp"
#include "07_register_tiling/matmul_register_column.hpp"
#include "07_register_tiling/matmul_register_row.hpp"
#include "07_register_tiling/matmul_register_tile.hpp"
#include "07_register_tiling/matmul_split_k.hpp"
#include "07_register_tiling/matmul_three_stages.hpp"
#include "07_register_tiling/matmul_tile_transposed_a.hpp"
#include "07_register_tiling/matmul_tuned.hpp"
#include "07_register_tiling/matmul_vectorized.hpp"
#include "07_register_tiling/matmul_warp_tiled.hpp"
#include "08_reductions/gemm_transposed.hpp"
#include "08_reductions/transpose_add.hpp"
#include "08_reductions/transpose_vectorized.hpp"
#include "09_wmma/gemm_wmma.hpp"
#include "09_wmma/linear_relu_wmma.hpp"
#include "09_wmma/matmul_wmma.hpp"
#include "09_wmma/matmul_wmma_staged.hpp"
#include "09_wmma/matmul_wmma_tiled.hpp"
#include "09_wmma/matmul_wmma_transposed_b.hpp"
#include "09_wmma/matmul_wmma_warp_tile.hpp"
#include "10_mma_pipelines/linear_silu_mma.hpp"
#include "10_mma_pipelines/matmul_four_stages.hpp"
#include "10_mma_pipelines/matmul_ldmatrix.hpp"
#include "10_mma_pipelines/matmul_ldmatrix_transposed_a.hpp"
#include "10_mma_pipelines/matmul_mma.hpp"
#include "10_mma_pipelines/matmul_mma_transposed_b.hpp"
#include "10_mma_pipelines/matmul_multistage.hpp"
#include "10_mma_pipelines/matmul_pipelined.hpp"
#include "10_mma_pipelines/matmul_swizzled.hpp"
#include "10_mma_pipelines/matmul_swizzled_rows.hpp"
#include "12_mixed_precision/gated_linear_bf16.hpp"
#include "12_mixed_precision/matmul_3xtf32.hpp"
#include "12_mixed_precision/matmul_int8.hpp"
#include "12_mixed_precision/matmul_split_bf16.hpp"
#include "12_mixed_precision/matmul_tensor.hpp"
#include "16_cnn_trainer/attention.hpp"
#include "sweep.hpp"

namespace {

using namespace tut;
using namespace tut::test;

// `multiply(m, n, k)` with one of the three grown; and with tiles that fit, which have a kernel of
// their own in places.
template <class Multiply>
void sweep_product(const std::string& name, Multiply multiply) {
  for (const int other : {17, 256}) {
    sweep(name + ", rows", ROWS, [&](std::int64_t n) { multiply(n, other, other); });
    sweep(name + ", columns", ROWS, [&](std::int64_t n) { multiply(other, n, other); });
    sweep(name + ", depth", ROWS, [&](std::int64_t n) { multiply(other, other, n); });
  }
}

template <class T, class U>
void sweep_matmul(const std::string& name, void (*matmul)(MatrixView<const T>, MatrixView<const T>,
                                                          MatrixView<U>, cudaStream_t)) {
  sweep_product(name, [=](std::int64_t m, std::int64_t n, std::int64_t k) {
    matmul(matrix<const T>(m, k), matrix<const T>(k, n), matrix<U>(m, n), nullptr);
  });
}

using Index = std::int64_t;

}  // namespace

TEST_CASE("products of matrices in FP32") {
  using F =
      void (*)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>, cudaStream_t);
  const std::pair<const char*, F> all[] = {{"matmul_uncoalesced", ch04::matmul_uncoalesced},
                                           {"matmul_coalesced", ch04::matmul_coalesced},
                                           {"matmul_tiled", ch05::matmul_tiled},
                                           {"matmul_padded", ch05::matmul_padded},
                                           {"matmul_rectangular", ch05::matmul_rectangular},
                                           {"matmul_register_column", ch07::matmul_register_column},
                                           {"matmul_register_row", ch07::matmul_register_row},
                                           {"matmul_register_tile", ch07::matmul_register_tile},
                                           {"matmul_vectorized", ch07::matmul_vectorized},
                                           {"matmul_warp_tiled", ch07::matmul_warp_tiled},
                                           {"matmul_async", ch07::matmul_async},
                                           {"matmul_three_stages", ch07::matmul_three_stages},
                                           {"matmul_tuned", ch07::matmul_tuned},
                                           {"matmul_tf32", ch12::matmul_tf32},
                                           {"matmul_3xtf32", ch12::matmul_3xtf32},
                                           {"matmul_split_bf16", ch12::matmul_split_bf16}};
  for (const auto& [name, matmul] : all) sweep_matmul<float, float>(name, matmul);
}

TEST_CASE("products of matrices in half and bfloat16") {
  using Half =
      void (*)(MatrixView<const __half>, MatrixView<const __half>, MatrixView<float>, cudaStream_t);
  const std::pair<const char*, Half> all[] = {
      {"matmul_wmma", ch09::matmul_wmma},
      {"matmul_wmma_staged", ch09::matmul_wmma_staged},
      {"matmul_wmma_tiled", ch09::matmul_wmma_tiled},
      {"matmul_wmma_two_stages", ch09::matmul_wmma_two_stages},
      {"matmul_wmma_warp_tile", ch09::matmul_wmma_warp_tile},
      {"matmul_mma", ch10::matmul_mma},
      {"matmul_ldmatrix", ch10::matmul_ldmatrix},
      {"matmul_ldmatrix_unpadded", ch10::matmul_ldmatrix_unpadded},
      {"matmul_swizzled", ch10::matmul_swizzled},
      {"matmul_two_stages", ch10::matmul_two_stages},
      {"matmul_multistage", ch10::matmul_multistage},
      {"matmul_pipelined", ch10::matmul_pipelined},
      {"matmul_swizzled_rows", ch10::matmul_swizzled_rows},
      {"matmul_float_sums", ch12::matmul_float_sums}};
  for (const auto& [name, matmul] : all) sweep_matmul<__half, float>(name, matmul);
  sweep_matmul<__half, __half>("matmul_half_sums", ch12::matmul_half_sums);
  sweep_matmul<__nv_bfloat16, float>("matmul_bfloat16", ch12::matmul_bfloat16);
  sweep_matmul<__nv_bfloat16, float>("matmul_four_stages", ch10::matmul_four_stages);
}

TEST_CASE("products of other shapes") {
  sweep_product("matmul_transposed_a", [](Index m, Index n, Index k) {
    ch04::matmul_transposed_a(matrix<const float>(k, m), matrix<const float>(k, n),
                              matrix<float>(m, n));
  });
  sweep_product("matmul_tile_transposed_a", [](Index m, Index n, Index k) {
    ch07::matmul_tile_transposed_a(matrix<const float>(k, m), matrix<const float>(k, n),
                                   matrix<float>(m, n));
  });
  sweep_product("gemm_transposed", [](Index m, Index n, Index k) {
    ch08::gemm_transposed(1, matrix<const float>(k, m), matrix<const float>(n, k), 1,
                          matrix<float>(m, n));
  });
  sweep_product("matmul_column_major", [](Index m, Index n, Index k) {
    const auto i = [](Index v) { return static_cast<int>(v); };
    ch04::matmul_column_major(i(m), i(n), i(k), somewhere<float>(), i(m), somewhere<float>(), i(k),
                              somewhere<float>(), i(m));
  });
  sweep_product("matmul_wmma_transposed_b", [](Index m, Index n, Index k) {
    ch09::matmul_wmma_transposed_b(matrix<const __half>(m, k), matrix<const __half>(n, k),
                                   matrix<float>(m, n));
  });
  sweep_product("matmul_mma_transposed_b", [](Index m, Index n, Index k) {
    ch10::matmul_mma_transposed_b(matrix<const __half>(m, k), matrix<const __half>(n, k),
                                  matrix<float>(m, n));
  });
  sweep_product("matmul_ldmatrix_transposed_a", [](Index m, Index n, Index k) {
    ch10::matmul_ldmatrix_transposed_a(matrix<const __half>(k, m), matrix<const __half>(k, n),
                                       matrix<float>(m, n));
  });
  const auto multiply_int8 = [](Index m, Index n, Index k) {
    ch12::matmul_int8(matrix<const signed char>(m, k), matrix<const signed char>(n, k), 1.0f,
                      matrix<float>(m, n));
  };
  sweep("matmul_int8, rows", ROWS, [=](Index n) { multiply_int8(n, 17, 17); });
  sweep("matmul_int8, columns", ROWS, [=](Index n) { multiply_int8(17, n, 17); });
  sweep("matmul_int8, depth", ch12::MOST_INT8_PRODUCTS, [=](Index n) { multiply_int8(17, 17, n); });
  sweep_product("gemm_wmma", [](Index m, Index n, Index k) {
    ch09::gemm_wmma(1, matrix<const __half>(m, k), matrix<const __half>(k, n), 0,
                    matrix<float>(m, n));
  });
  sweep_product("gated_linear_bf16", [](Index m, Index n, Index k) {
    using Number = __nv_bfloat16;
    ch12::gated_linear_bf16(matrix<const Number>(m, k), matrix<const Number>(n, k),
                            matrix<const Number>(n, k), matrix<Number>(m, n));
  });
  for (const bool queries : {true, false}) {
    sweep(queries ? "attention, queries" : "attention, keys", ROWS, [=](Index n) {
      const Index m = queries ? n : 33, keys = queries ? 33 : n;
      ch16::attention(matrix<const __half>(m, 128), matrix<const __half>(keys, 128),
                      matrix<const __half>(keys, 128), matrix<__half>(m, 128));
    });
  }
  sweep_product("linear_relu", [](Index m, Index n, Index k) {
    ch05::linear_relu(matrix<const float>(m, k), matrix<const float>(n, k), somewhere<float>(),
                      matrix<float>(m, n));
  });
  sweep_product("linear_relu_register", [](Index m, Index n, Index k) {
    ch07::linear_relu_register(matrix<const float>(m, k), matrix<const float>(n, k),
                               somewhere<float>(), matrix<float>(m, n));
  });
  sweep_product("linear_relu_wmma", [](Index m, Index n, Index k) {
    ch09::linear_relu_wmma(matrix<const __half>(m, k), matrix<const __half>(n, k),
                           somewhere<float>(), matrix<__half>(m, n));
  });
  sweep_product("linear_silu_mma", [](Index m, Index n, Index k) {
    ch10::linear_silu_mma(matrix<const __half>(m, k), matrix<const __half>(n, k),
                          somewhere<float>(), matrix<__half>(m, n));
  });
  sweep_product("matmul_split_k", [](Index m, Index n, Index k) {
    ch07::matmul_split_k(matrix<const float>(m, k), matrix<const float>(k, n), matrix<float>(m, n),
                         matrix<float>(ch07::split_k_slices * m, n));
  });
  sweep("matmul_batched", 65'535, [](Index n) {
    ch04::matmul_batched(matrix<const float>(9, 9), 81, matrix<const float>(9, 9), 81,
                         matrix<float>(9, 9), 81, static_cast<int>(n));
  });
}

TEST_CASE("matrices that are moved") {
  const auto both = [](const std::string& name, auto move) {
    sweep(name + ", rows", ROWS, [&](Index n) { move(n, 33); });
    sweep(name + ", columns", ROWS, [&](Index n) { move(33, n); });
  };
  both("transpose_tiled", [](Index r, Index c) {
    ch05::transpose_tiled(matrix<const float>(r, c), matrix<float>(c, r));
  });
  both("rotate_tiled", [](Index r, Index c) {
    ch05::rotate_tiled(matrix<const float>(r, c), matrix<float>(c, r));
  });
  both("transpose_vectorized", [](Index r, Index c) {
    ch08::transpose_vectorized(matrix<const float>(r, c), matrix<float>(c, r));
  });
  both("transpose_add", [](Index some_rows, Index some_cols) {
    const Index r = 4 * some_rows, c = 4 * some_cols;
    ch08::transpose_add(matrix<const float>(r, c), matrix<const float>(c, r), matrix<float>(c, r));
  });
  both("brighten", [](Index r, Index c) {
    ch03::brighten(matrix<const unsigned char>(r, c), matrix<unsigned char>(r, c), 1);
  });
  both("rgb_to_gray", [](Index r, Index c) {
    ch03::rgb_to_gray(matrix<const uchar3>(r, c), matrix<unsigned char>(r, c));
  });
}
