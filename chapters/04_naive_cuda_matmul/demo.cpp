// CPU beside GPU, from sizes where the CPU wins to 10000 x 10000.

#include "tut/bench/demo.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "02_fast_cpu_matmul/matmul_packed.hpp"
#include "02_fast_cpu_matmul/matmul_threaded.hpp"
#include "04_naive_cuda_matmul/matmul_coalesced.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/stream.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Times {
  double cpu_ms = INFINITY, kernel_ms = INFINITY, with_copies_ms = INFINITY;
  double difference = 0.0;  // the largest between the two results
};

// Whichever of chapter 02's products is faster at this size: starting threads takes time as well.
void multiply_on_cpu(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  c.cols < 200 ? ch02::matmul_packed(a, b, c) : ch02::matmul_threaded(a, b, c);
}

// The best of `runs` for each way.
Times multiply(int n, int runs) {
  HostMatrix<float> a(n, n), b(n, n), on_cpu(n, n), on_gpu(n, n);
  fill_uniform(a, 1);
  fill_uniform(b, 2);
  DeviceMatrix<float> device_a(n, n), device_b(n, n), device_c(n, n);
  Times best;
  for (int run = 0; run < runs; ++run) {
    auto start = Clock::now();
    multiply_on_cpu(a.cview(), b.cview(), on_cpu.view());
    best.cpu_ms = std::min(best.cpu_ms, ms_since(start));

    Event kernel_start, kernel_stop;
    start = Clock::now();
    device_a.upload(a);
    device_b.upload(b);
    kernel_start.record();
    ch04::matmul_coalesced(device_a.cview(), device_b.cview(), device_c.view());
    kernel_stop.record();
    device_c.download(on_gpu);
    best.with_copies_ms = std::min(best.with_copies_ms, ms_since(start));
    const auto kernel = static_cast<double>(Event::elapsed_ms(kernel_start, kernel_stop));
    best.kernel_ms = std::min(best.kernel_ms, kernel);
  }
  best.difference = largest_difference(on_cpu, on_gpu);
  return best;
}

void compare_sizes(const std::vector<int>& sizes) {
  std::printf("%7s %12s %12s %14s %12s  %s\n", "n", "CPU ms", "kernel ms", "with copies ms",
              "difference", "faster");
  for (const int n : sizes) {
    const Times times = multiply(n, n <= 2048 ? 3 : 1);
    std::printf("%7d %12.4f %12.4f %14.4f %12.1e  %s\n", n, times.cpu_ms, times.kernel_ms,
                times.with_copies_ms, times.difference,
                times.cpu_ms < times.with_copies_ms ? "CPU" : "GPU");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch04_demo", argc, argv, [] {
    std::printf("C = AB, n x n, FP32: chapter 02 on the CPU beside matmul_coalesced.\n");
    if (on_cpu_backend) {
      std::printf(
          "CPU backend: the \"GPU\" columns are this CPU too, and say nothing about a GPU.\n");
      compare_sizes({16, 32, 64, 128, 256, 512});
      std::printf(
          "Larger products would take from seconds to an hour here: the sizes stop at 512.\n");
    } else {
      compare_sizes({16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 10000});
    }
  });
}
