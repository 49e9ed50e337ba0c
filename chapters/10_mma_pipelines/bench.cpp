// The products of this chapter beside cublasGemmEx in the same precision, chapter 09's, and the
// same number of products of mma.sync on registers alone.

#include "tut/bench/bench.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "09_wmma/matmul_wmma_tiled.hpp"
#include "10_mma_pipelines/matmul_ldmatrix.hpp"
#include "10_mma_pipelines/matmul_mma.hpp"
#include "10_mma_pipelines/matmul_multistage.hpp"
#include "10_mma_pipelines/matmul_pipelined.hpp"
#include "10_mma_pipelines/matmul_swizzled.hpp"
#include "10_mma_pipelines/register_products.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/compute_capability.hpp"
#include "tut/device/cublas_gemm_ex.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/precision_cuda.hpp"

namespace tut::ch10 {
namespace {

template <class T>
using Matmul = void (*)(MatrixView<const T>, MatrixView<const T>, MatrixView<float>, cudaStream_t);

/// What register_products multiplies: random fragments, and a sum for each thread.
template <class T>
struct RegisterInputs {
  DeviceBuffer<unsigned> words;
  DeviceBuffer<float> sums;
  explicit RegisterInputs(int blocks)
      : words(random_words()), sums(static_cast<std::size_t>(blocks) * REGISTER_THREADS) {}

  static std::vector<unsigned> random_words() {
    std::vector<unsigned> words;
    for (std::uint64_t i = 0; i < REGISTER_WORDS * 32; ++i) {
      const auto bits = [&](std::uint64_t half) -> unsigned {
        const T value = from_float<T>(random_uniform(3, 2 * i + half));
        if constexpr (std::is_same_v<T, __half>)
          return __half_as_ushort(value);
        else
          return __bfloat16_as_ushort(value);
      };
      words.push_back(bits(0) | bits(1) << 16);
    }
    return words;
  }
};

/// As many products as matmul_pipelined has for this shape, in as many blocks, without any load.
template <class T>
void add_register_row(const std::string& ladder, const MatmulShape& s) {
  const int blocks = ceil_div(s.m, 128) * ceil_div(s.n, 256), steps = ceil_div(s.k, 16);
  const auto inputs = made_once<RegisterInputs<T>>(blocks);
  const auto run = [=](std::int64_t, cudaStream_t stream) {
    register_products<T>(inputs().words.data(), inputs().sums.data(), blocks, steps, stream);
  };
  const auto verify = [=]() -> std::string {
    run(0, nullptr);
    check(cudaDeviceSynchronize());
    // All warps compute the same; what they compute a test of the chapter knows.
    const std::vector<float> sums = inputs().sums.to_host();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (std::isfinite(sums[i]) && sums[i] == sums[i % 32]) continue;
      return "sum " + std::to_string(i) + " is " + std::to_string(sums[i]) + ", that of lane " +
             std::to_string(i % 32) + " of the first warp " + std::to_string(sums[i % 32]);
    }
    return "";
  };
  const double flops = 2.0 * blocks * 128 * 256 * steps * 16;
  add_bench_step(
      {.ladder = ladder,
       .size = std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k),
       .name = "products in registers",
       .cost = {.flops = flops,
                .bytes = 4.0 * blocks * REGISTER_THREADS,
                .arithmetic = std::is_same_v<T, __half> ? "fp16" : "bf16"},
       .rival = true},
      verify, run);
}

/// The ladder of T: its products, cuBLAS in the same precision, chapter 09's best, and products
/// alone.
template <class T>
void add_ladder(const std::vector<MatmulShape>& shapes) {
  const std::string ladder = std::is_same_v<T, __half> ? "half" : "bfloat16";
  add_matmul_benchmarks<T, float>(
      {{.name = "matmul_mma", .run = static_cast<Matmul<T>>(matmul_mma)},
       {.name = "matmul_ldmatrix", .run = static_cast<Matmul<T>>(matmul_ldmatrix)},
       {.name = "matmul_swizzled", .run = static_cast<Matmul<T>>(matmul_swizzled)},
       {.name = "matmul_two_stages", .run = static_cast<Matmul<T>>(matmul_two_stages)},
       {.name = "matmul_multistage", .run = static_cast<Matmul<T>>(matmul_multistage)},
       {.name = "matmul_pipelined", .run = static_cast<Matmul<T>>(matmul_pipelined)},
       {.name = "cublasGemmEx", .run = cublas_gemm_ex<T>, .rival = true},
       {.name = "matmul_wmma_tiled",
        .run = static_cast<Matmul<T>>(ch09::matmul_wmma_tiled),
        .rival = true}},
      shapes, ladder);
  for (const MatmulShape& shape : shapes) add_register_row<T>(ladder, shape);
}

const BenchRows rows_of_chapter([] {
  if (compute_capability() < 80) return;
  const auto shapes = on_cpu_backend
                          ? std::vector<MatmulShape>{{256, 256, 256}, {512, 512, 512}}
                          : std::vector<MatmulShape>{{4096, 4096, 4096}, {8192, 8192, 8192}};
  add_ladder<__half>(shapes);
  add_ladder<__nv_bfloat16>(shapes);
});

}  // namespace
}  // namespace tut::ch10
