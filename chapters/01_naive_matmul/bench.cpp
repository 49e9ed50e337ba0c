// Three ways of multiplying matrices on one core, beside the rates of the roofline. Every row is
// checked before it is timed; FLOP/s are 2 n^3 FLOPs by the time of one product.

#include "tut/bench/bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "01_naive_matmul/matmul_eigen.hpp"
#include "01_naive_matmul/matmul_naive.hpp"
#include "01_naive_matmul/matmul_reordered.hpp"
#include "01_naive_matmul/roofline.hpp"
#include "01_naive_matmul/summation.hpp"
#include "tut/matrix/host_matrix.hpp"
#include "tut/numeric/random.hpp"
#include "tut/testing/host_matmul_test.hpp"

namespace {

using namespace tut;
using Matmul = void (*)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>);

/// Inputs and output of an n x n product.
struct Matrices {
  explicit Matrices(int n) : a(n, n), b(n, n), c(n, n) {
    fill_uniform(a, 1);
    fill_uniform(b, 2);
  }
  HostMatrix<float> a, b, c;
};

/// The definition's inner loop goes down a column of B, and where the column has more lines than
/// the caches keep of it, each multiply-add waits for one of 64 bytes.
BenchTraffic naive_traffic(int n) {
  return n < 1024 ? BenchTraffic{} : BenchTraffic{64.0 * n * n * n, "memory"};
}

/// For each multiply-add the reordered loop loads an element of B and one of C and stores that of
/// C, all in the first cache.
BenchTraffic reordered_traffic(int n) { return {3.0 * sizeof(float) * n * n * n, "first_cache"}; }

void add_product(const std::string& name, Matmul matmul, int n, const BenchTraffic& traffic,
                 bool rival) {
  const std::string side = std::to_string(n);
  const auto m = made_once<Matrices>(n);
  add_host_bench_step(
      {.ladder = "matmul",
       .size = side + "x" + side + "x" + side,
       .name = name,
       .cost = {.flops = 2.0 * n * n * n, .bytes = 12.0 * n * n, .traffic = traffic},
       .rival = rival,
       .row = name + "/" + side},
      [=] {
        const bool ok = matmul_outcome<float, float>(matmul, {.shapes = {{65, 67, 69}}}).ok;
        return std::string(ok ? "" : "wrong result");
      },
      [=](std::int64_t) { matmul(m().a.cview(), m().b.cview(), m().c.view()); });
}

constexpr std::size_t VALUES = 1 << 20;

struct Values {
  Values() : all(VALUES) { fill_uniform(all, 3, 0, 1); }
  std::vector<float> all;
};

void add_sum(const std::string& name, float (*sum)(std::span<const float>)) {
  const auto values = made_once<Values>();
  add_host_bench_step(
      {.ladder = "sum",
       .size = std::to_string(VALUES),
       .name = name,
       .cost = {.bytes = sizeof(float) * VALUES},
       .row = name + "/" + std::to_string(VALUES)},
      [=] {
        const double expected = std::accumulate(values().all.begin(), values().all.end(), 0.0);
        const bool ok = std::abs(sum(values().all) - expected) <= 1e-3 * expected;
        return std::string(ok ? "" : "wrong result");
      },
      [=](std::int64_t) { benchmark::DoNotOptimize(sum(values().all)); });
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

const BenchRows rows_of_chapter([] {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("peak", peak)->Iterations(3)->Unit(benchmark::kMillisecond);
  auto* bandwidth = RegisterBenchmark("read_bandwidth", read_bandwidth);
  bandwidth->ArgName("KiB")->Iterations(1)->Unit(benchmark::kMillisecond);
  add_roof("fp32", [] { return 1e9 * ch01::measure_peak_gflops(); });
  // The cache or memory that serves repeated reads of so many KiB on most machines.
  const std::pair<const char*, int> levels[] = {
      {"first_cache", 16}, {"second_cache", 256}, {"third_cache", 4096}, {"memory", 512 << 10}};
  for (const auto& [name, kib] : levels) {
    bandwidth->Arg(kib);
    const std::size_t bytes = static_cast<std::size_t>(kib) << 10;
    add_roof(name, [bytes] { return 1e9 * ch01::measure_read_gb_s(bytes); });
  }

  for (const int n : {64, 256, 1024}) {
    add_product("naive", ch01::matmul_naive, n, naive_traffic(n), false);
    add_product("reordered", ch01::matmul_reordered, n, reordered_traffic(n), false);
    add_product("eigen", ch01::matmul_eigen, n, {}, true);
  }
  add_sum("sum_in_order", ch01::sum_in_order);
  add_sum("sum_pairwise", ch01::sum_pairwise);
  add_sum("sum_compensated", ch01::sum_compensated);
});

}  // namespace
