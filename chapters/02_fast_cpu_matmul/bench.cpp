// The steps of the chapter and their rivals, interleaved. Rows are NAME/SIMD/N, so that
// --benchmark_filter=avx2 compares one instruction set. Every row is checked before it is timed.
//
// OpenBLAS chooses its instruction set when it is loaded: its row says which it took. Choose it by
// OPENBLAS_CORETYPE=Haswell (AVX2) or SkylakeX (AVX-512) in the environment.

#include "tut/bench.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "01_naive_matmul/matmul_reordered.hpp"
#include "01_naive_matmul/roofline.hpp"
#include "02_fast_cpu_matmul/eigen_rivals.hpp"
#include "02_fast_cpu_matmul/gemm.hpp"
#include "02_fast_cpu_matmul/matmul_blocked.hpp"
#include "tut/host_matmul_test.hpp"
#include "tut/host_matrix.hpp"

#ifdef TUT_HAS_OPENBLAS
#include <cblas.h>
#endif

namespace {

using namespace tut;
using Product = HostMatmul<float, float>;

void time_product(benchmark::State& state, const Product& product, int n) {
  if (!matmul_outcome<float, float>(product,
                                    {.shapes = {{65, 67, 69}}, .rejects_wrong_shapes = false})
           .ok) {
    state.SkipWithError("wrong result");
    return;
  }
  HostMatrix<float> a(n, n), b(n, n), c(n, n);
  fill_uniform(a, 1);
  fill_uniform(b, 2);
  measure_host(state, {}, [&](std::int64_t) { product(a.cview(), b.cview(), c.view()); });
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
}

void add(const std::string& name, const Product& product, const std::vector<int>& sizes) {
  for (const int n : sizes) {
    benchmark::RegisterBenchmark(
        (name + "/" + std::to_string(n)).c_str(),
        [product, n](benchmark::State& state) { time_product(state, product, n); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

Product packed(ch02::Simd simd, int threads) {
  return [simd, threads](auto a, auto b, auto c) {
    ch02::run_gemm(simd, ch02::find_gemm(simd)->blocking, threads, a, b, c);
  };
}

#ifdef TUT_HAS_OPENBLAS
Product openblas(int threads) {
  return [threads](auto a, auto b, auto c) {
    openblas_set_num_threads(threads);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, c.rows, c.cols, a.cols, 1.0f, a.data,
                static_cast<int>(a.stride), b.data, static_cast<int>(b.stride), 0.0f, c.data,
                static_cast<int>(c.stride));
  };
}

// "avx2" or "avx512", from the name of the processor whose kernels OpenBLAS has chosen.
std::string openblas_simd() {
  std::string core = openblas_get_corename();
  if (core == "Haswell" || core == "Zen") return "avx2";
  if (core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids") return "avx512";
  return core;
}
#endif

void peak(benchmark::State& state) {
  double best = 0;
  for ([[maybe_unused]] auto _ : state) best = std::max(best, ch01::measure_peak_gflops());
  state.counters["GFLOP/s"] = best;
}

const int registered = [] {
  const std::vector<int> sizes = {256, 512, 1024, 2048};
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  benchmark::RegisterBenchmark("peak", peak)->Iterations(3)->Unit(benchmark::kMillisecond);
  add("reordered", ch01::matmul_reordered, {256, 1024});
  add("blocked", ch02::matmul_blocked, {256, 1024});

  const struct {
    ch02::Simd simd;
    Product eigen;
  } rivals[] = {
      {ch02::Simd::baseline, ch02::eigen_baseline},
#ifdef TUT_CH02_X86
      {ch02::Simd::avx2, ch02::eigen_avx2},
      {ch02::Simd::avx512, ch02::eigen_avx512},
#endif
  };
  for (const auto& [simd, eigen] : rivals) {
    if (!ch02::is_supported(simd)) continue;
    const std::string name = ch02::find_gemm(simd)->name;
    add("packed/" + name, packed(simd, 1), sizes);
    add("eigen/" + name, eigen, sizes);
    add("threaded/" + name, packed(simd, cores), {1024, 2048});
  }
#ifdef TUT_HAS_OPENBLAS
  add("openblas/" + openblas_simd(), openblas(1), sizes);
  add("openblas_threaded/" + openblas_simd(), openblas(cores), {1024, 2048});
#endif
  return 0;
}();

}  // namespace
