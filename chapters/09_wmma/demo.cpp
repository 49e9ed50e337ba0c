// The products of this chapter: right, and what each asks of memory (CPU backend) or how fast it is
// (GPU).

#include "tut/bench/demo.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "09_wmma/matmul_wmma.hpp"
#include "09_wmma/matmul_wmma_staged.hpp"
#include "09_wmma/matmul_wmma_tiled.hpp"
#include "tut/bench/counting.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/cublas_gemm_ex.hpp"
#include "tut/device/stream.hpp"
#include "tut/device/tensor_cores.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;

template <class T>
using Matmul = void (*)(MatrixView<const T>, MatrixView<const T>, MatrixView<float>, cudaStream_t);

template <class T>
struct Row {
  const char* name;
  Matmul<T> matmul;
};

template <class T>
std::vector<Row<T>> rows() {
  return {{"matmul_wmma", ch09::matmul_wmma},
          {"matmul_wmma_staged", ch09::matmul_wmma_staged},
          {"matmul_wmma_tiled", ch09::matmul_wmma_tiled}};
}

void print_traffic(const char* name, double difference, const Counters& counters) {
  const TrafficCounts total = counters.total();
  std::uint64_t asked = 0;
  for (const Traffic traffic : {Traffic::global_load, Traffic::global_store}) {
    asked += of(total, traffic).bytes;
  }
  const auto& load = of(total, Traffic::shared_load);
  const auto& store = of(total, Traffic::shared_store);
  const unsigned long long passes = load.wavefronts + store.wavefronts;
  const unsigned long long conflicts = load.conflicts + store.conflicts;
  std::printf("%-20s %10.1e %12.2f %10.2f %12llu %10llu\n", name, difference,
              1e-6 * static_cast<double>(asked), 1e-6 * static_cast<double>(counters.bytes_moved()),
              passes, conflicts);
}

/// Multiplies n x n matrices by each product of the chapter, beside cuBLAS or, on the CPU backend,
/// what stands for it there.
template <class T>
void multiply(const char* type, int n) {
  HostMatrix<T> host_a(n, n), host_b(n, n);
  fill_uniform(host_a, 1);
  fill_uniform(host_b, 2);
  const DeviceMatrix<T> a(host_a), b(host_b);
  DeviceMatrix<float> c(n, n);
  const double flops = 2.0 * n * n * n;
  const auto print_time = [&](const char* name, double difference, float ms) {
    std::printf("%-20s %10.1e %12.3f %10.1f\n", name, difference, static_cast<double>(ms),
                1e-9 * flops / ms);
  };

  std::printf("%d x %d times %d x %d, factors in %s, sums in FP32\n%-20s %10s", n, n, n, n, type,
              "", "difference");
  std::printf(can_count() ? " %12s %10s %12s %10s\n" : " %12s %10s\n",
              can_count() ? "MB asked for" : "ms", can_count() ? "MB moved" : "TFLOP/s",
              "bank passes", "conflicts");
  const float cublas_ms = best_ms([&] { cublas_gemm_ex<T>(a.cview(), b.cview(), c.view()); });
  const HostMatrix<float> reference = c.download();
  for (const Row<T>& row : rows<T>()) {
    const auto run = [&] { row.matmul(a.cview(), b.cview(), c.view(), nullptr); };
    const Counters counters = counted(run);
    const double difference = largest_difference(c.download(), reference);
    if (can_count()) {
      print_traffic(row.name, difference, counters);
    } else {
      print_time(row.name, difference, best_ms(run));
    }
  }
  if (!can_count()) print_time("cublasGemmEx", 0.0, cublas_ms);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch09_demo", argc, argv, [] {
    const int n = on_cpu_backend ? 256 : 4096;
    multiply<__half>("half", n);
    if (compute_capability() >= least_capability<__nv_bfloat16>) {
      multiply<__nv_bfloat16>("bfloat16", n);
    }
    if (can_count()) {
      std::printf(
          "difference: the largest, from the CPU backend's cublasGemmEx, which is not NVIDIA's.\n"
          "MB: of global memory; a request moves whole sectors of 32 bytes. A pass lets the 32\n"
          "banks of shared memory serve a warp once: 128 bytes at most; a conflict is a pass more\n"
          "than that takes. matmul_wmma_tiled computes blocks of 128 x 256, and moves least.\n");
    } else if (on_cpu_backend) {
      std::printf("These are times of the CPU backend: they say nothing about a GPU.\n");
    }
  });
}
