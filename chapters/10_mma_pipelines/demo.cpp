// The products of this chapter: right, and what each asks of memory (CPU backend) or how fast it is
// (GPU).

#include "tut/bench/demo.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "10_mma_pipelines/matmul_ldmatrix.hpp"
#include "10_mma_pipelines/matmul_mma.hpp"
#include "10_mma_pipelines/matmul_multistage.hpp"
#include "10_mma_pipelines/matmul_pipelined.hpp"
#include "10_mma_pipelines/matmul_swizzled.hpp"
#include "tut/bench/counting.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/compute_capability.hpp"
#include "tut/device/cublas_gemm_ex.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;

struct Row {
  const char* name;
  void (*matmul)(MatrixView<const __half>, MatrixView<const __half>, MatrixView<float>,
                 cudaStream_t);
};

const std::vector<Row> ROWS = {{"matmul_mma", ch10::matmul_mma},
                               {"matmul_ldmatrix_unpadded", ch10::matmul_ldmatrix_unpadded},
                               {"matmul_ldmatrix", ch10::matmul_ldmatrix},
                               {"matmul_swizzled", ch10::matmul_swizzled},
                               {"matmul_multistage", ch10::matmul_multistage},
                               {"matmul_pipelined", ch10::matmul_pipelined}};

void print_counts(const char* name, const Counters& counters) {
  const TrafficCounts total = counters.total();
  const auto& load = of(total, Traffic::shared_load);
  const auto& store = of(total, Traffic::shared_store);
  const unsigned long long loads = load.requests, passes = load.wavefronts + store.wavefronts;
  const unsigned long long conflicts = load.conflicts + store.conflicts;
  const unsigned long long products = counters.work.tensor_products;
  std::printf("%-24s %9.2f %9llu %9llu %9llu %10llu\n", name,
              1e-6 * static_cast<double>(counters.bytes_moved()), products, loads, passes,
              conflicts);
}

}  // namespace

int main(int argc, char** argv) {
  return run_without_arguments("ch10_demo", argc, argv, [] {
    if (compute_capability() < 80) {
      std::printf("mma.sync of this chapter needs compute capability 8.0 or higher\n");
      return;
    }
    const int n = on_cpu_backend ? 256 : 4096;
    HostMatrix<__half> host_a(n, n), host_b(n, n);
    fill_uniform(host_a, 1);
    fill_uniform(host_b, 2);
    const DeviceMatrix<__half> a(host_a), b(host_b);
    DeviceMatrix<float> c(n, n);
    const auto print_time = [&](const char* name, float ms) {
      std::printf("%-24s %9.3f %9.1f\n", name, static_cast<double>(ms),
                  2e-9 * n * n * n / static_cast<double>(ms));
    };

    std::printf("%d x %d times %d x %d, factors in half, sums in FP32\n%-24s", n, n, n, n, "");
    std::printf(can_count() ? " %9s %9s %9s %9s %10s\n" : " %9s %9s\n",
                can_count() ? "MB moved" : "ms", can_count() ? "products" : "TFLOP/s", "loads",
                "passes", "conflicts");
    const float cublas_ms =
        best_ms([&] { cublas_gemm_ex<__half>(a.cview(), b.cview(), c.view()); });
    const HostMatrix<float> reference = c.download();
    for (const Row& row : ROWS) {
      const auto run = [&] { row.matmul(a.cview(), b.cview(), c.view(), nullptr); };
      const Counters counters = counted(run);
      const double difference = largest_difference(c.download(), reference);
      if (!(difference <= 1e-3)) {
        throw std::runtime_error(std::string(row.name) + " is off by " +
                                 std::to_string(difference) + "; expected at most 0.001");
      }
      if (can_count()) {
        print_counts(row.name, counters);
      } else {
        print_time(row.name, best_ms(run));
      }
    }
    if (!can_count()) print_time("cublasGemmEx", cublas_ms);
    if (can_count()) {
      std::printf(
          "\nMB moved: of global memory, without caches. products: of mma.sync. loads: of shared\n"
          "memory, by a warp. passes: through its 32 banks, for loads and stores; a conflict is a\n"
          "pass more than the bytes need. All results are those of cublasGemmEx.\n");
    } else if (on_cpu_backend) {
      std::printf("These are times of the CPU backend: they say nothing about a GPU.\n");
    }
  });
}
