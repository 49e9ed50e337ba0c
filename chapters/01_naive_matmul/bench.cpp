// Three ways of multiplying matrices on one core, beside the rates of the roofline. Every row is
// checked before it is timed; GFLOP/s are 2 n^3 FLOPs by the time of one product.

#include "tut/bench.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "01_naive_matmul/matmul_eigen.hpp"
#include "01_naive_matmul/matmul_naive.hpp"
#include "01_naive_matmul/matmul_reordered.hpp"
#include "01_naive_matmul/roofline.hpp"
#include "01_naive_matmul/summation.hpp"
#include "tut/host_matmul_test.hpp"
#include "tut/host_matrix.hpp"
#include "tut/random.hpp"

namespace {

using namespace tut;
using Matmul = void (*)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>);

void time_matmul(benchmark::State& state, Matmul matmul) {
  if (!matmul_outcome<float, float>(matmul, {.shapes = {{65, 67, 69}}}).ok) {
    state.SkipWithError("wrong result");
    return;
  }
  const int n = static_cast<int>(state.range(0));
  HostMatrix<float> a(n, n), b(n, n), c(n, n);
  fill_uniform(a, 1);
  fill_uniform(b, 2);
  measure_host(state, {}, [&](std::int64_t) { matmul(a.cview(), b.cview(), c.view()); });
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
}

void time_sum(benchmark::State& state, float (*sum)(std::span<const float>)) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<float> values(n);
  fill_uniform(values, 3, 0, 1);
  measure_host(state, {}, [&](std::int64_t) { benchmark::DoNotOptimize(sum(values)); });
  state.counters["ns/value"] = benchmark::Counter(
      1e-9 * static_cast<double>(n),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void peak(benchmark::State& state) {
  double best = 0;
  for (auto _ : state) best = std::max(best, ch01::measure_peak_gflops());
  state.counters["GFLOP/s"] = best;
}

void read_bandwidth(benchmark::State& state) {
  double best = 0;
  for (auto _ : state) {
    best = std::max(best, ch01::measure_read_gb_s(static_cast<std::size_t>(state.range(0)) << 10));
  }
  state.counters["GB/s"] = best;
}

const int registered = [] {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("peak", peak)->Iterations(3)->Unit(benchmark::kMillisecond);
  auto* bandwidth = RegisterBenchmark("read_bandwidth", read_bandwidth);
  bandwidth->ArgName("KiB")->Iterations(1)->Unit(benchmark::kMillisecond);
  // The first, second and third cache of most machines, and none.
  for (const int kib : {16, 256, 4096, 512 << 10}) bandwidth->Arg(kib);

  const struct {
    const char* name;
    Matmul matmul;
  } rows[] = {{"naive", ch01::matmul_naive},
              {"reordered", ch01::matmul_reordered},
              {"eigen", ch01::matmul_eigen}};
  for (const auto& [name, matmul] : rows) {
    auto* row = RegisterBenchmark(name, time_matmul, matmul);
    row->Arg(64)->Arg(256)->Arg(1024)->UseManualTime()->Unit(benchmark::kMillisecond);
  }
  RegisterBenchmark("sum_in_order", time_sum, ch01::sum_in_order)->Arg(1 << 20)->UseManualTime();
  RegisterBenchmark("sum_pairwise", time_sum, ch01::sum_pairwise)->Arg(1 << 20)->UseManualTime();
  RegisterBenchmark("sum_compensated", time_sum, ch01::sum_compensated)
      ->Arg(1 << 20)
      ->UseManualTime();
  return 0;
}();

}  // namespace
