// The ladder of chapters 01 to 05: one product, a step a chapter, as a bar chart.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "01_naive_matmul/matmul_eigen.hpp"
#include "01_naive_matmul/matmul_naive.hpp"
#include "01_naive_matmul/matmul_reordered.hpp"
#include "02_fast_cpu_matmul/matmul_blocked.hpp"
#include "02_fast_cpu_matmul/matmul_packed.hpp"
#include "02_fast_cpu_matmul/matmul_threaded.hpp"
#include "04_naive_cuda_matmul/matmul_coalesced.hpp"
#include "04_naive_cuda_matmul/matmul_uncoalesced.hpp"
#include "05_shared_memory_tiling/ladder_summary.hpp"
#include "05_shared_memory_tiling/matmul_tiled.hpp"
#include "tut/device/backend.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"
#include "tut/text/terminal.hpp"

namespace {

using namespace tut;
using HostMatmul = void (*)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>);
using DeviceMatmul = void (*)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>,
                              cudaStream_t);

struct Step {
  const char* label;
  HostMatmul host = nullptr;
  DeviceMatmul device = nullptr;
  bool rival = false;  ///< no step of the ladder: there to compare with
};

const std::vector<Step>& steps() {
  static const std::vector<Step> all{
      {"01 three loops", ch01::matmul_naive},
      {"01 loops in a better order", ch01::matmul_reordered},
      {"02 blocked for the cache", ch02::matmul_blocked},
      {"02 packed, SIMD", ch02::matmul_packed},
      {"02 on all cores", ch02::matmul_threaded},
      {"   Eigen, one core", ch01::matmul_eigen, nullptr, true},
      {"04 CUDA, strided loads", nullptr, ch04::matmul_uncoalesced},
      {"04 CUDA, coalesced", nullptr, ch04::matmul_coalesced},
      {"05 CUDA, shared-memory tiles", nullptr, ch05::matmul_tiled},
  };
  return all;
}

/// Seconds of one run: the best of at least two, for about a third of a second.
double best_seconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  double best = INFINITY, total = 0.0;
  for (int run = 0; run < 2 || (total < 0.35 && run < 50); ++run) {
    const auto start = Clock::now();
    work();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::min(best, seconds);
    total += seconds;
  }
  return best;
}

/// Throws unless the two products agree as well as float products of random matrices do.
void require_equal(const char* label, const HostMatrix<float>& got,
                   const HostMatrix<float>& expected) {
  for (int r = 0; r < got.rows(); ++r) {
    for (int c = 0; c < got.cols(); ++c) {
      if (!(std::abs(got(r, c) - expected(r, c)) <= 1e-3f)) {
        throw std::runtime_error(std::string(label) + " is wrong at row " + std::to_string(r) +
                                 ", column " + std::to_string(c));
      }
    }
  }
}

/// GFLOP/s of each step for an n x n product, each checked against Eigen's.
std::vector<Bar> climb(int n) {
  HostMatrix<float> a(n, n), b(n, n), expected(n, n);
  fill_uniform(a, 1);
  fill_uniform(b, 2);
  ch01::matmul_eigen(a.cview(), b.cview(), expected.view());
  const DeviceMatrix<float> device_a(a), device_b(b);
  std::vector<Bar> bars;
  ProgressBar progress("measuring", static_cast<std::int64_t>(steps().size()));
  for (const Step& step : steps()) {
    double seconds = 0.0;
    if (step.host != nullptr) {
      HostMatrix<float> c(n, n);
      seconds = best_seconds([&] { step.host(a.cview(), b.cview(), c.view()); });
      require_equal(step.label, c, expected);
    } else {
      DeviceMatrix<float> c(n, n);
      seconds = best_seconds([&] {
        step.device(device_a.cview(), device_b.cview(), c.view(), nullptr);
        check(cudaDeviceSynchronize());
      });
      require_equal(step.label, c.download(), expected);
    }
    bars.push_back({step.label, 2e-9 * n * n * n / seconds});
    progress.advance();
  }
  progress.finish();
  return bars;
}

/// The steps whose times can be compared: on the CPU backend not those of kernels.
std::vector<Bar> compared(const std::vector<Bar>& bars) {
  std::vector<Bar> climbed;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Step& step = steps()[i];
    if (!step.rival && (step.host != nullptr || !on_cpu_backend)) climbed.push_back(bars[i]);
  }
  return climbed;
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch05_ladder", argc, argv, [] {
    const int n = on_cpu_backend ? 512 : 1024;
    const std::vector<Bar> bars = climb(n);
    std::printf("%d x %d times %d x %d, single precision\n\n", n, n, n, n);
    BarChartOptions options;
    options.unit = "GFLOP/s";
    std::printf("%s", bar_chart(bars, options).c_str());
    if (on_cpu_backend) {
      std::printf(
          "\nThe CUDA kernels ran on this machine's cores, through the course's CPU backend: "
          "right\n"
          "results, but their times say nothing about a GPU, and no step is compared with them.\n");
    }
    std::printf(
        "\n%s",
        ladder_summary(compared(bars), options.unit, on_cpu_backend ? "on the CPU" : "").c_str());
  });
}
