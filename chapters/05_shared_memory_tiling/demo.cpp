// The tiled product beside the naive one and cuBLAS, and two transposes: right, and how fast.

#include "tut/bench/demo.hpp"

#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "04_naive_cuda_matmul/matmul_coalesced.hpp"
#include "05_shared_memory_tiling/matmul_tiled.hpp"
#include "05_shared_memory_tiling/transpose_tiled.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/cublas.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;

constexpr int RUNS = 3;

void multiply(int n) {
  HostMatrix<float> host_a(n, n), host_b(n, n);
  fill_uniform(host_a, 1);
  fill_uniform(host_b, 2);
  const DeviceMatrix<float> a(host_a), b(host_b);
  DeviceMatrix<float> expected(n, n);
  const CublasHandle cublas;
  const auto run_cublas = [&] {
    const float one = 1.0f, zero = 0.0f;  // column-major: C^T = B^T A^T
    check(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b.data(), n, a.data(), n,
                      &zero, expected.data(), n));
  };
  const double flops = 2.0 * n * n * n;
  const auto show = [&](const char* name, float ms, double bytes, double difference) {
    std::printf("%-18s %10.3f %10.1f %16.2f %12.1e\n", name, static_cast<double>(ms),
                1e-6 * flops / ms, 1e-9 * bytes, difference);
  };

  std::printf("%d x %d matrices\n%-18s %10s %10s %16s %12s\n", n, n, "", "ms", "GFLOP/s",
              "GB requested", "difference");
  const float cublas_ms = best_ms(run_cublas, RUNS);
  const HostMatrix<float> reference = expected.download();
  struct Row {
    const char* name;
    void (*matmul)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>,
                   cudaStream_t);
    double bytes_per_product;
  };
  for (const Row& row : {Row{"matmul_coalesced", ch04::matmul_coalesced, 5.0},
                         Row{"matmul_tiled", ch05::matmul_tiled, 0.25}}) {
    DeviceMatrix<float> c(n, n);
    const float ms = best_ms([&] { row.matmul(a.cview(), b.cview(), c.view(), nullptr); }, RUNS);
    const double bytes = row.bytes_per_product * n * n * n + 4.0 * n * n;
    show(row.name, ms, bytes, largest_difference(c.download(), reference));
  }
  std::printf("%-18s %10.3f %10.1f\n", "cublasSgemm", static_cast<double>(cublas_ms),
              1e-6 * flops / cublas_ms);
}

void transpose(int rows, int cols) {
  HostMatrix<float> host(rows, cols);
  fill_uniform(host, 3);
  const DeviceMatrix<float> in(host);
  DeviceMatrix<float> out(cols, rows);
  const float ms = best_ms([&] { ch05::transpose_tiled(in.cview(), out.view()); }, RUNS);
  const HostMatrix<float> got = out.download();
  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) wrong += got(c, r) != host(r, c);
  }
  std::printf("\ntranspose_tiled of %d x %d: %.3f ms, %.1f GB/s, %d elements wrong\n", rows, cols,
              static_cast<double>(ms), 8e-6 * rows * cols / ms, wrong);
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch05_demo", argc, argv, [] {
    multiply(on_cpu_backend ? 512 : 4096);
    transpose(on_cpu_backend ? 1000 : 10000, on_cpu_backend ? 700 : 7000);
    if (on_cpu_backend) {
      std::printf("\nThese are times of the CPU backend: they say nothing about a GPU.\n");
    }
  });
}
