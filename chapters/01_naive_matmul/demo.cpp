// The roofline of this machine, what three ways of multiplying reach of it, and how rounding errors
// grow with the length of a sum.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "01_naive_matmul/matmul_eigen.hpp"
#include "01_naive_matmul/matmul_naive.hpp"
#include "01_naive_matmul/matmul_reordered.hpp"
#include "01_naive_matmul/roofline.hpp"
#include "01_naive_matmul/summation.hpp"
#include "tut/matrix/host_matrix.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;
using Matmul = void (*)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>);

double gflops(Matmul matmul, int n) {
  HostMatrix<float> a(n, n), b(n, n), c(n, n);
  fill_uniform(a, 1);
  fill_uniform(b, 2);
  double best = 1e30;
  for (int run = 0; run < 3; ++run) {
    const auto start = std::chrono::steady_clock::now();
    matmul(a.cview(), b.cview(), c.view());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  return 2e-9 * n * n * n / best;
}

void show_speed() {
  const ch01::Roofline machine = ch01::measure_roofline();
  std::printf("one core: %.0f GFLOP/s in registers, %.1f GB/s from memory\n", machine.gflops,
              machine.memory_gb_s);
  std::printf("the roof meets the slope at %.1f FLOP/byte\n\n",
              machine.gflops / machine.memory_gb_s);
  std::printf("%6s %12s %10s %10s %10s %10s\n", "n", "FLOP/byte", "roof", "naive", "reordered",
              "Eigen");
  for (const int n : {64, 256, 1024}) {
    const double intensity = ch01::matmul_intensity(n, n, n);
    std::printf("%6d %12.1f %10.1f %10.1f %10.1f %10.1f\n", n, intensity,
                machine.attainable(intensity), gflops(ch01::matmul_naive, n),
                gflops(ch01::matmul_reordered, n), gflops(ch01::matmul_eigen, n));
  }
  std::printf("(roof and rates in GFLOP/s, each matrix moved once)\n\n");
}

void show_rounding() {
  const auto error = [](float got, double expected) { return std::abs(got - expected) / expected; };
  std::printf("relative error of a sum of n values in [0, 1), in units of 2^-24\n");
  std::printf("%10s %12s %12s %12s\n", "n", "in order", "pairwise", "compensated");
  for (const int n : {1 << 8, 1 << 12, 1 << 16, 1 << 20, 1 << 24}) {
    std::vector<float> values(static_cast<std::size_t>(n));
    fill_uniform(values, 3, 0, 1);
    double exact = 0;
    for (const float value : values) exact += value;
    const std::span<const float> all(values);
    std::printf("%10d %12.1f %12.1f %12.1f\n", n, error(ch01::sum_in_order(all), exact) * 0x1p24,
                error(ch01::sum_pairwise(all), exact) * 0x1p24,
                error(ch01::sum_compensated(all), exact) * 0x1p24);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch01_demo", argc, argv, [] {
    show_speed();
    show_rounding();
  });
}
