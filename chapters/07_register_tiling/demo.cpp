// The steps of this chapter: right, and what each asks of memory (CPU backend) or how fast it is
// (GPU).

#include "tut/bench/demo.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "07_register_tiling/steps.hpp"
#include "tut/bench/counting.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/cublas_matmul.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;

/// What the step did in units of its n^3 / 32 multiply-adds of a warp: a multiprocessor starts 4 of
/// them a clock, and its shared memory makes one pass.
void print_traffic(const ch07::Step& step, int n, const Counters& counters) {
  const TrafficCounts total = counters.total();
  const auto& load = of(total, Traffic::shared_load);
  const auto& store = of(total, Traffic::shared_store);
  const double multiply_adds = static_cast<double>(n) * n * n / 32;
  const auto conflicts = load.conflicts + store.conflicts;
  const double passes = static_cast<double>(load.wavefronts + store.wavefronts) / multiply_adds;
  std::printf("%-24s %7s %9.2f %10.3f %9.3f %10llu %8.0f %%\n", step.name, step.thread_tile,
              1e-6 * static_cast<double>(counters.bytes_moved()),
              static_cast<double>(load.requests) / multiply_adds, passes,
              static_cast<unsigned long long>(conflicts), 100 * std::min(1.0, 0.25 / passes));
}

void print_time(const char* name, const char* thread_tile, int n, float ms) {
  std::printf("%-24s %7s %10.3f %10.1f\n", name, thread_tile, static_cast<double>(ms),
              2e-9 * n * n * n / static_cast<double>(ms));
}

/// Multiplies n x n matrices by each step. All of them add in the same order, so that their results
/// are the same to the last bit.
void multiply(int n) {
  HostMatrix<float> host_a(n, n), host_b(n, n);
  fill_uniform(host_a, 1);
  fill_uniform(host_b, 2);
  const DeviceMatrix<float> a(host_a), b(host_b);
  DeviceMatrix<float> expected(n, n);
  const auto run_cublas = [&] { cublas_matmul(a.cview(), b.cview(), expected.view()); };
  const float cublas_ms = best_ms(run_cublas);
  const HostMatrix<float> reference = expected.download();
  HostMatrix<float> first;

  std::printf("%d x %d matrices, FP32\n%-24s %7s", n, n, "", "thread");
  if (can_count()) {
    std::printf(" %9s %10s %9s %10s %10s\n", "MB moved", "reads/FMA", "passes", "conflicts",
                "at most");
  } else {
    std::printf(" %10s %10s\n", "ms", "TFLOP/s");
  }
  for (const ch07::Step& step : ch07::steps) {
    DeviceMatrix<float> c(n, n);
    const auto run = [&] { step.matmul(a.cview(), b.cview(), c.view(), nullptr); };
    const Counters counters = counted(run);
    const HostMatrix<float> result = c.download();
    if (first.rows() == 0) first = result;
    if (!(largest_difference(result, reference) <= 1e-3) ||
        largest_difference(result, first) != 0) {
      throw std::runtime_error(std::string(step.name) + " is wrong");
    }
    if (can_count()) {
      print_traffic(step, n, counters);
    } else {
      print_time(step.name, step.thread_tile, n, best_ms(run));
    }
  }
  if (!can_count()) print_time("cublasSgemm", "", n, cublas_ms);
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch07_demo", argc, argv, [] {
    multiply(on_cpu_backend ? 256 : 4096);
    if (can_count()) {
      std::printf(
          "\nMB moved: of global memory, without caches. reads/FMA: read instructions of shared\n"
          "memory for each multiply-add of a warp. passes: through its banks, reads and writes,\n"
          "for each multiply-add. at most: the share of the FP32 rate that these passes leave.\n");
    } else if (on_cpu_backend) {
      std::printf("\nThese are times of the CPU backend: they say nothing about a GPU.\n");
    }
    std::printf(
        "\nThe tuner: cmake --build build/%s --target ch07_tune && build/%s/bin/ch07_tune\n",
        on_cpu_backend ? "cpu" : "cuda", on_cpu_backend ? "cpu" : "cuda");
  });
}
