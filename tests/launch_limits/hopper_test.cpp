// Chapter 11: launches, clusters and tensor maps. TMA wants rows that are multiples of 16 bytes
// apart.
#include <doctest/doctest.h>

#include "11_hopper/copy_tile_tma.hpp"
#include "11_hopper/linear_gelu_wgmma.hpp"
#include "11_hopper/matmul_clusters.hpp"
#include "11_hopper/matmul_descriptor.hpp"
#include "11_hopper/matmul_fp8.hpp"
#include "11_hopper/matmul_persistent.hpp"
#include "11_hopper/matmul_specialised.hpp"
#include "11_hopper/matmul_stages_specialised.hpp"
#include "11_hopper/matmul_tma_pipeline.hpp"
#include "11_hopper/matmul_transposed_b_wgmma.hpp"
#include "11_hopper/matmul_wgmma.hpp"
#include "11_hopper/sum_over_cluster.hpp"
#include "sweep.hpp"

namespace {

using namespace tut;
using namespace tut::test;

using Index = std::int64_t;

/// With rows as far apart as TMA wants them.
template <class T>
MatrixView<T> padded(Index rows, Index cols) {
  MatrixView<T> view = matrix<T>(rows, cols);
  constexpr Index PIECE = 16 / sizeof(T);
  view.stride = (cols + PIECE - 1) / PIECE * PIECE;
  return view;
}

/// `multiply(m, n, k)` with one of the three grown.
template <class Multiply>
void sweep_product(const std::string& name, Multiply multiply) {
  for (const int other : {17, 256}) {
    sweep(name + ", rows", ROWS, [&](Index n) { multiply(n, other, other); });
    sweep(name + ", columns", ROWS, [&](Index n) { multiply(other, n, other); });
    sweep(name + ", depth", ROWS, [&](Index n) { multiply(other, other, n); });
  }
}

}  // namespace

TEST_CASE("products by TMA and wgmma") {
  using T = __nv_bfloat16;
  using Matmul = void (*)(MatrixView<const T>, MatrixView<const T>, MatrixView<T>, cudaStream_t);
  const std::pair<const char*, Matmul> all[] = {
      {"matmul_wgmma", ch11::matmul_wgmma},
      {"matmul_tma_pipeline", ch11::matmul_tma_pipeline},
      {"matmul_specialised", ch11::matmul_specialised},
      {"matmul_persistent", ch11::matmul_persistent},
      {"matmul_clusters", ch11::matmul_clusters},
      {"matmul_descriptor", ch11::matmul_descriptor},
      {"matmul_stages_specialised", ch11::matmul_stages_specialised}};
  for (const auto& [name, matmul] : all) {
    sweep_product(name, [matmul = matmul](Index m, Index n, Index k) {
      matmul(padded<const T>(m, k), padded<const T>(n, k), padded<T>(m, n), nullptr);
    });
  }
  sweep_product("matmul_transposed_b_wgmma", [](Index m, Index n, Index k) {
    ch11::matmul_transposed_b_wgmma(padded<const T>(m, k), padded<const T>(k, n), padded<T>(m, n));
  });
  sweep_product("matmul_fp8", [](Index m, Index n, Index k) {
    ch11::matmul_fp8(padded<const __nv_fp8_e4m3>(m, k), padded<const __nv_fp8_e4m3>(n, k),
                     padded<float>(m, n), 1.0f, 1.0f);
  });
  sweep_product("linear_gelu_wgmma", [](Index m, Index n, Index k) {
    ch11::linear_gelu_wgmma(padded<const __half>(m, k), padded<const __half>(n, k),
                            somewhere<const float>(), padded<__half>(m, n));
  });
}

TEST_CASE("copies by TMA, and sums over clusters") {
  const auto copy = [](Index rows, Index cols) {
    ch11::copy_tile_tma(padded<const float>(rows, cols), 3, 5, padded<float>(rows, cols));
  };
  sweep("copy_tile_tma, rows", ROWS, [&](Index n) { copy(n, 100); });
  sweep("copy_tile_tma, columns", ROWS, [&](Index n) { copy(100, n); });
  const auto sum = [](Index rows, Index cols) {
    ch11::sum_over_cluster(matrix<const float>(rows, cols), Elements{rows});
  };
  sweep("sum_over_cluster, rows", ROWS, [&](Index n) { sum(n, 100); });
  sweep("sum_over_cluster, columns", ROWS, [&](Index n) { sum(100, n); });
}
