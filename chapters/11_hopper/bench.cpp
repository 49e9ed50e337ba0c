// The products of this chapter beside cublasGemmEx and cublasLt in the same precision; and what
// wgmma reaches without copies, as the bound.

#include "tut/bench/bench.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#ifdef TUT_BACKEND_CUDA
#include "11_hopper/cublaslt_fp8.hpp"
#endif
#include "11_hopper/cublas_transposed_b.hpp"
#include "11_hopper/matmul_clusters.hpp"
#include "11_hopper/matmul_fp8.hpp"
#include "11_hopper/matmul_persistent.hpp"
#include "11_hopper/matmul_specialised.hpp"
#include "11_hopper/matmul_tma_pipeline.hpp"
#include "11_hopper/matmul_wgmma.hpp"
#include "11_hopper/shared_products.hpp"
#include "11_hopper/tensor_map.hpp"
#include "tut/bench/bench_timer.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/compute_capability.hpp"
#include "tut/device/multiprocessors.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/precision_fp8.hpp"
#include "tut/numeric/random.hpp"

namespace tut::ch11 {
namespace {

using Fp8 = __nv_fp8_e4m3;
constexpr float SCALE_A = 0.5f, SCALE_B = 2.0f;  // of FP8's factors: no number of C changes

/// A (M, K), B (N, K) in T and C in U, uniform in [-1, 1], in as many copies as the rotation takes.
template <class T, class U>
struct Inputs {
  HostMatrix<T> host_a, host_b;
  std::vector<DeviceMatrix<T>> a, b;
  std::vector<DeviceMatrix<U>> c;

  explicit Inputs(MatmulShape s) : host_a(s.m, s.k), host_b(s.n, s.k) {
    fill_uniform(host_a, 1);
    fill_uniform(host_b, 2);
    const auto bytes = static_cast<std::size_t>(matmul_cost<T, U>(s).bytes);
    for (int i = 0; i < rotation_count(bytes); ++i) {
      a.emplace_back(host_a);
      b.emplace_back(host_b);
      c.emplace_back(s.m, s.n);
    }
  }
  template <class Matmul>
  void run(const Matmul& matmul, std::int64_t index, cudaStream_t stream) {
    const auto i = static_cast<std::size_t>(index) % a.size();
    matmul(a[i].cview(), b[i].cview(), c[i].view(), stream);
  }
  /// How far a sum in FP32, or of FP8 in tensor cores alone, with 14 bits, may be off.
  static double bound_of(int k, double magnitude) {
    return 2 * std::sqrt(k) * (sizeof(T) == 1 ? 0x1p-13 : 0x1p-23) * magnitude;
  }
  /// What is wrong with C, in some of its elements; "" if nothing is.
  std::string error() {
    check(cudaDeviceSynchronize());
    const HostMatrix<U> got = c[0].download();
    for (std::uint64_t i = 0; i < 64; ++i) {
      const auto pick = [&](std::uint64_t which, int size) {
        return static_cast<int>(drawn_bits(which, i) % static_cast<std::uint64_t>(size));
      };
      const int row = pick(1, got.rows()), col = pick(2, got.cols());
      double sum = 0, magnitude = 0;
      for (int k = 0; k < host_a.cols(); ++k) {
        const double product = to_double(host_a(row, k)) * to_double(host_b(col, k));
        sum += product;
        magnitude += std::abs(product);
      }
      const double is = to_double(got(row, col));
      const double bound =
          bound_of(host_a.cols(), magnitude) + Precision<U>::rounding * std::abs(sum);
      if (std::abs(is - sum) <= bound) continue;
      return "C(" + std::to_string(row) + ", " + std::to_string(col) + ") is " +
             std::to_string(is) + "; expected " + std::to_string(sum);
    }
    return "";
  }
};

/// A row of `ladder`, for a product in `arithmetic` of these inputs.
template <class T, class U, class Made, class Matmul>
void add_row(const char* ladder, const char* arithmetic, const MatmulShape& s, const char* name,
             bool rival, const Made& inputs, const Matmul& matmul) {
  BenchCost cost = matmul_cost<T, U>(s);
  cost.arithmetic = arithmetic;
  add_bench_step(
      {.ladder = ladder,
       .size = std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k),
       .name = name,
       .cost = cost,
       .rival = rival},
      [=] {
        inputs().run(matmul, 0, nullptr);
        return inputs().error();
      },
      [=](std::int64_t i, cudaStream_t stream) { inputs().run(matmul, i, stream); });
}

void add_ladder(const MatmulShape& s) {
  using T = __nv_bfloat16;
  struct Row {
    const char* name;
    void (*matmul)(MatrixView<const T>, MatrixView<const T>, MatrixView<T>, cudaStream_t);
    bool rival = false;
  };
  const auto inputs = made_once<Inputs<T, T>>(s);
  for (const auto& [name, matmul, rival] :
       {Row{"matmul_wgmma", matmul_wgmma}, Row{"matmul_tma_pipeline", matmul_tma_pipeline},
        Row{"matmul_specialised", matmul_specialised}, Row{"matmul_persistent", matmul_persistent},
        Row{"matmul_clusters", matmul_clusters}, Row{"cublasGemmEx", cublas_transposed_b, true}}) {
    add_row<T, T>("bfloat16", "bf16_wgmma", s, name, rival, inputs, matmul);
  }
}

void add_fp8_ladder(const MatmulShape& s) {
  const auto inputs = made_once<Inputs<Fp8, float>>(s);
  const auto add = [&](const char* name, bool rival, const auto& matmul) {
    add_row<Fp8, float>("fp8", "fp8_wgmma", s, name, rival, inputs, matmul);
  };
  add("matmul_fp8", false, [](const auto& a, const auto& b, const auto& c, cudaStream_t stream) {
    matmul_fp8(a, b, c, SCALE_A, SCALE_B, stream);
  });
#ifdef TUT_BACKEND_CUDA
  for (const bool fast_sums : {false, true}) {
    const auto product = made_once<CublasLtFp8>(s, SCALE_A, SCALE_B, fast_sums);
    add(fast_sums ? "cublasLtMatmul, fast sums" : "cublasLtMatmul", true,
        [=](const auto& a, const auto& b, const auto& c, cudaStream_t stream) {
          product().run(a.data, b.data, c.data, stream);
        });
  }
#endif
}

/// FLOP/s of wgmma on tiles that stay in shared memory, in all multiprocessors.
template <class T>
double products_rate() {
  const int blocks = multiprocessor_count(), steps = on_cpu_backend ? 16 : 1 << 14;
  const DeviceBuffer<float> sums(static_cast<std::size_t>(blocks) * PRODUCTS_THREADS);
  const double seconds = best_seconds(
      [&](cudaStream_t stream) { shared_products<T>(sums.data(), blocks, steps, stream); });
  return 2.0 * 128 * products_columns<T> * products_depth<T> * blocks * steps / seconds;
}

const BenchRows rows_of_chapter([] {
  if (compute_capability() != HOPPER_CAPABILITY) return;
  if (!on_cpu_backend) {
    add_roof("bf16_wgmma", products_rate<__nv_bfloat16>);
    add_roof("fp8_wgmma", products_rate<Fp8>);
  }
  std::vector<MatmulShape> shapes;
  for (int size = on_cpu_backend ? 256 : 1024; size <= (on_cpu_backend ? 512 : 16384); size *= 2) {
    shapes.push_back({size, size, size});
  }
  for (const MatmulShape& shape : shapes) add_ladder(shape);
  for (const MatmulShape& shape : shapes) add_fp8_ladder(shape);
});

}  // namespace
}  // namespace tut::ch11
