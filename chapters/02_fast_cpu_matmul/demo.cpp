// From three loops to packed tiles: what each step reaches on this machine, one core, then all.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "01_naive_matmul/matmul_eigen.hpp"
#include "01_naive_matmul/matmul_reordered.hpp"
#include "01_naive_matmul/roofline.hpp"
#include "02_fast_cpu_matmul/gemm.hpp"
#include "02_fast_cpu_matmul/matmul_blocked.hpp"
#include "02_fast_cpu_matmul/matmul_packed.hpp"
#include "02_fast_cpu_matmul/matmul_threaded.hpp"
#include "tut/matrix/host_matrix.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;

struct Step {
  const char* name;
  void (*matmul)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>);
};

constexpr Step steps[] = {{"reordered (chapter 01)", ch01::matmul_reordered},
                          {"blocked", ch02::matmul_blocked},
                          {"packed, register tiles", ch02::matmul_packed},
                          {"Eigen (chapter 01)", ch01::matmul_eigen},
                          {"packed, all cores", ch02::matmul_threaded}};

double gflops(const Step& step, int n) {
  HostMatrix<float> a(n, n), b(n, n), c(n, n);
  fill_uniform(a, 1);
  fill_uniform(b, 2);
  double best = 1e30;
  for (int run = 0; run < 4; ++run) {
    const auto start = std::chrono::steady_clock::now();
    step.matmul(a.cview(), b.cview(), c.view());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  return 2e-9 * n * n * n / best;
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch02_demo", argc, argv, [] {
    const ch02::Gemm& gemm = *ch02::find_gemm(ch02::best_simd());
    const double peak = ch01::measure_peak_gflops();
    std::printf("instruction set %s: register tile %d x %d, blocks of A %d x %d, of B %d x %d\n",
                gemm.name, gemm.tile_rows, gemm.tile_cols, gemm.blocking.rows, gemm.blocking.depth,
                gemm.blocking.depth, gemm.blocking.cols);
    std::printf("one core does %.0f GFLOP/s in registers; %u cores\n\n", peak,
                std::thread::hardware_concurrency());
    std::printf("%-24s %10s %10s %10s %12s\n", "GFLOP/s", "n = 128", "512", "1024", "of one core");
    for (const Step& step : steps) {
      const double small = gflops(step, 128), middle = gflops(step, 512),
                   large = gflops(step, 1024);
      std::printf("%-24s %10.1f %10.1f %10.1f %11.0f%%\n", step.name, small, middle, large,
                  100 * large / peak);
    }
  });
}
