// The products of this chapter beside cublasGemmEx in the same precision.

#include "tut/bench/bench.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "11_hopper/cublas_transposed_b.hpp"
#include "11_hopper/matmul_clusters.hpp"
#include "11_hopper/matmul_persistent.hpp"
#include "11_hopper/matmul_specialised.hpp"
#include "11_hopper/matmul_tma_pipeline.hpp"
#include "11_hopper/matmul_wgmma.hpp"
#include "11_hopper/tensor_map.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/compute_capability.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"

namespace tut::ch11 {
namespace {

using T = __nv_bfloat16;
using Matmul = void (*)(MatrixView<const T>, MatrixView<const T>, MatrixView<T>, cudaStream_t);

/// A (M, K), B (N, K) and C, uniform in [-1, 1], in as many copies as the rotation takes.
struct Inputs {
  HostMatrix<T> host_a, host_b;
  std::vector<DeviceMatrix<T>> a, b, c;

  explicit Inputs(MatmulShape s) : host_a(s.m, s.k), host_b(s.n, s.k) {
    fill_uniform(host_a, 1);
    fill_uniform(host_b, 2);
    const auto bytes = static_cast<std::size_t>(matmul_cost<T, T>(s).bytes);
    for (int i = 0; i < rotation_count(bytes); ++i) {
      a.emplace_back(host_a);
      b.emplace_back(host_b);
      c.emplace_back(s.m, s.n);
    }
  }
  void run(Matmul matmul, std::int64_t index, cudaStream_t stream) {
    const auto i = static_cast<std::size_t>(index) % a.size();
    matmul(a[i].cview(), b[i].cview(), c[i].view(), stream);
  }
  /// What is wrong with C, in some of its elements; "" if nothing is.
  std::string error() {
    check(cudaDeviceSynchronize());
    const HostMatrix<T> got = c[0].download();
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
      const double bound = 2 * std::sqrt(host_a.cols()) * 0x1p-23 * magnitude +
                           Precision<T>::rounding * std::abs(sum);
      if (std::abs(is - sum) <= bound) continue;
      return "C(" + std::to_string(row) + ", " + std::to_string(col) + ") is " +
             std::to_string(is) + "; expected " + std::to_string(sum);
    }
    return "";
  }
};

void add_ladder(const MatmulShape& s) {
  struct Row {
    const char* name;
    Matmul matmul;
    bool rival = false;
  };
  const auto inputs = made_once<Inputs>(s);
  for (const auto& [name, matmul, rival] :
       {Row{"matmul_wgmma", matmul_wgmma}, Row{"matmul_tma_pipeline", matmul_tma_pipeline},
        Row{"matmul_specialised", matmul_specialised}, Row{"matmul_persistent", matmul_persistent},
        Row{"matmul_clusters", matmul_clusters}, Row{"cublasGemmEx", cublas_transposed_b, true}}) {
    BenchCost cost = matmul_cost<T, T>(s);
    cost.arithmetic = "bf16";
    add_bench_step(
        {.ladder = "bfloat16",
         .size = std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k),
         .name = name,
         .cost = cost,
         .rival = rival},
        [=, matmul = matmul] {
          inputs().run(matmul, 0, nullptr);
          return inputs().error();
        },
        [=, matmul = matmul](std::int64_t i, cudaStream_t stream) {
          inputs().run(matmul, i, stream);
        });
  }
}

const BenchRows rows_of_chapter([] {
  if (compute_capability() != HOPPER_CAPABILITY) return;
  const auto shapes = on_cpu_backend
                          ? std::vector<MatmulShape>{{256, 256, 256}, {512, 512, 512}}
                          : std::vector<MatmulShape>{{4096, 4096, 4096}, {8192, 8192, 8192}};
  for (const MatmulShape& shape : shapes) add_ladder(shape);
});

}  // namespace
}  // namespace tut::ch11
