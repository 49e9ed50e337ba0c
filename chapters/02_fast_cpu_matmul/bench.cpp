// The steps of the chapter and their rivals, interleaved. Rows are NAME/SIMD/N, so that
// --benchmark_filter=avx2 compares one instruction set. Every row is checked before it is timed.
//
// OpenBLAS chooses its instruction set when it is loaded: its row says which it took. Choose it by
// OPENBLAS_CORETYPE=Haswell (AVX2) or SkylakeX (AVX-512) in the environment.

#include "tut/bench/bench.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "01_naive_matmul/matmul_reordered.hpp"
#include "01_naive_matmul/roofline.hpp"
#include "02_fast_cpu_matmul/eigen_rivals.hpp"
#include "02_fast_cpu_matmul/gemm.hpp"
#include "02_fast_cpu_matmul/matmul_blocked.hpp"
#include "tut/matrix/host_matrix.hpp"
#include "tut/testing/host_matmul_test.hpp"

#ifdef TUT_HAS_OPENBLAS
#include <cblas.h>
#endif

namespace {

using namespace tut;
using Product = HostMatmul<float, float>;

/// Rows of one ladder: one instruction set, on one core or on all.
struct Ladder {
  std::string simd;
  bool all_cores = false;

  std::string name() const { return simd + (all_cores ? ", all cores" : ", one core"); }
};

/// Inputs and output of an n x n product, which all rows share.
struct Matrices {
  explicit Matrices(int n) : a(n, n), b(n, n), c(n, n) {
    fill_uniform(a, 1);
    fill_uniform(b, 2);
  }
  HostMatrix<float> a, b, c;

  static Matrices& of(int n) {
    static std::map<int, Matrices> all;
    return all.try_emplace(n, n).first->second;
  }
};

void add(const Ladder& ladder, const std::string& name, const Product& product,
         const std::vector<int>& sizes, bool rival = false) {
  for (const int n : sizes) {
    const std::string side = std::to_string(n);
    add_host_bench_step(
        {.ladder = ladder.name(),
         .size = side + "x" + side + "x" + side,
         .name = name.substr(0, name.find('/')),
         .cost = {.flops = 2.0 * n * n * n,
                  .bytes = 12.0 * n * n,
                  .arithmetic = ladder.all_cores ? "fp32_all_cores" : "fp32"},
         .rival = rival,
         .row = name + "/" + side},
        [=] {
          const MatmulTestOptions options{.shapes = {{65, 67, 69}}, .rejects_wrong_shapes = false};
          return std::string(matmul_outcome<float, float>(product, options).ok ? ""
                                                                               : "wrong result");
        },
        [=](std::int64_t) {
          Matrices& m = Matrices::of(n);
          product(m.a.cview(), m.b.cview(), m.c.view());
        });
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

/// All cores' peak together, in FLOP/s.
double peak_of(int cores) {
  std::vector<double> gflops(static_cast<std::size_t>(cores));
  std::vector<std::thread> threads;
  for (double& peak : gflops) threads.emplace_back([&] { peak = ch01::measure_peak_gflops(); });
  for (std::thread& thread : threads) thread.join();
  return 1e9 * std::accumulate(gflops.begin(), gflops.end(), 0.0);
}

const BenchRows rows_of_chapter([] {
  const std::vector<int> sizes = {256, 512, 1024, 2048};
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  benchmark::RegisterBenchmark("peak", peak)->Iterations(3)->Unit(benchmark::kMillisecond);
  add_roof("fp32", [] { return 1e9 * ch01::measure_peak_gflops(); });
  add_roof("fp32_all_cores", [cores] { return peak_of(cores); });
  add_roof("memory", [] { return 1e9 * ch01::measure_read_gb_s(std::size_t{512} << 20); });

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
  std::string widest;  // what the first steps, compiled for this machine, are compared with
  for (const auto& rival : rivals) {
    if (ch02::is_supported(rival.simd)) widest = ch02::find_gemm(rival.simd)->name;
  }
  add({widest}, "reordered", ch01::matmul_reordered, {256, 1024});
  add({widest}, "blocked", ch02::matmul_blocked, {256, 1024});
  for (const auto& [simd, eigen] : rivals) {
    if (!ch02::is_supported(simd)) continue;
    const std::string name = ch02::find_gemm(simd)->name;
    add({name}, "packed/" + name, packed(simd, 1), sizes);
    add({name}, "eigen/" + name, eigen, sizes, true);
    add({name, true}, "threaded/" + name, packed(simd, cores), {1024, 2048});
  }
#ifdef TUT_HAS_OPENBLAS
  const std::string name = openblas_simd();
  add({name}, "openblas/" + name, openblas(1), sizes, true);
  add({name, true}, "openblas_threaded/" + name, openblas(cores), {1024, 2048}, true);
#endif
});

}  // namespace
