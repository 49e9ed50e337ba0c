// One product, five ways to write it for a CPU, as a bar chart: the tour begins with it.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "01_naive_matmul/matmul_naive.hpp"
#include "01_naive_matmul/matmul_reordered.hpp"
#include "02_fast_cpu_matmul/matmul_blocked.hpp"
#include "02_fast_cpu_matmul/matmul_packed.hpp"
#include "02_fast_cpu_matmul/matmul_threaded.hpp"
#include "tut/matrix/host_matrix.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"
#include "tut/text/terminal.hpp"

namespace {

using namespace tut;

struct Step {
  const char* label;
  void (*multiply)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>);
};

constexpr Step steps[] = {{"01 three loops", ch01::matmul_naive},
                          {"01 loops in a better order", ch01::matmul_reordered},
                          {"02 blocked for the cache", ch02::matmul_blocked},
                          {"02 packed, SIMD", ch02::matmul_packed},
                          {"02 on all cores", ch02::matmul_threaded}};

// The best of three runs.
template <class Work>
double best_seconds(const Work& work) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 3; ++run) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

void require_equal(const char* label, const HostMatrix<float>& got,
                   const HostMatrix<float>& expected) {
  for (int row = 0; row < got.rows(); ++row) {
    for (int col = 0; col < got.cols(); ++col) {
      if (!(std::abs(got(row, col) - expected(row, col)) <= 1e-3f)) {
        throw std::runtime_error(std::string(label) + " is wrong at row " + std::to_string(row) +
                                 ", column " + std::to_string(col));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_without_arguments("ch02_ladder", argc, argv, [] {
    constexpr int n = 512;
    HostMatrix<float> a(n, n), b(n, n), first(n, n);
    fill_uniform(a, 1);
    fill_uniform(b, 2);
    std::vector<Bar> bars;
    for (const Step& step : steps) {
      HostMatrix<float> c(n, n);
      const double seconds = best_seconds([&] { step.multiply(a.cview(), b.cview(), c.view()); });
      if (bars.empty()) first = c;
      require_equal(step.label, c, first);
      bars.push_back({step.label, 2e-9 * n * n * n / seconds});
    }
    std::printf("%d x %d times %d x %d on this CPU, single precision\n\n", n, n, n, n);
    BarChartOptions options;
    options.unit = "GFLOP/s";
    std::printf("%s", bar_chart(bars, options).c_str());
  });
}
