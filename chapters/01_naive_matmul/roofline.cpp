#include "01_naive_matmul/roofline.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

namespace tut::ch01 {
namespace {

// The widest vector of the processor that this file is compiled for.
#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif
typedef float Vector __attribute__((vector_size(lanes * sizeof(float))));

volatile float sink;  // results go here, so that the compiler must compute them

void use(const Vector& value) { sink = value[0]; }

// The least time of `runs` calls, in seconds.
template <class Call>
double best_seconds(int runs, Call&& call) {
  double best = 1e30;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  return best;
}

}  // namespace

double Roofline::attainable(double intensity) const {
  return std::min(gflops, intensity * memory_gb_s);
}

//! [peak]
double measure_peak_gflops() {
  constexpr int chains = 12;  // independent, so that no multiply-add waits for another
  constexpr long steps = 200000;
  const float factor = 0.999f, term = 0.001f;
  const double seconds = best_seconds(40, [&] {
    Vector sum[chains];
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i) sum[i] = Vector{} + static_cast<float>(i);
    for (long step = 0; step < steps; ++step) {
#pragma GCC unroll 12
      for (int i = 0; i < chains; ++i) sum[i] = sum[i] * factor + term;
    }
#pragma GCC unroll 12
    for (int i = 1; i < chains; ++i) sum[0] += sum[i];
    use(sum[0]);
  });
  return 2.0 * lanes * chains * steps / seconds * 1e-9;
}
//! [peak]

//! [bandwidth]
double measure_read_gb_s(std::size_t bytes) {
  constexpr std::size_t step = 8 * lanes;
  const std::size_t floats = std::max(bytes / sizeof(float) / step * step, step);
  const std::vector<float> buffer(floats, 1.0f);
  const std::size_t passes = std::max<std::size_t>(1, (std::size_t{1} << 26) / (floats * 4));
  const double seconds = best_seconds(5, [&] {
    Vector sum[8] = {};
    for (std::size_t pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < floats; i += step) {
#pragma GCC unroll 8
        for (std::size_t j = 0; j < 8; ++j) {
          Vector value;
          std::memcpy(&value, &buffer[i + j * lanes], sizeof value);
          sum[j] += value;
        }
      }
    }
    for (int j = 1; j < 8; ++j) sum[0] += sum[j];
    use(sum[0]);
  });
  return static_cast<double>(floats) * sizeof(float) * static_cast<double>(passes) / seconds * 1e-9;
}
//! [bandwidth]

Roofline measure_roofline() {
  return {measure_peak_gflops(), measure_read_gb_s(std::size_t{512} << 20)};
}

double matmul_intensity(int m, int n, int k) {
  const double flops = 2.0 * m * n * k;
  const double elements = 1.0 * m * k + 1.0 * k * n + 1.0 * m * n;
  return flops / (sizeof(float) * elements);
}

}  // namespace tut::ch01
