// The products of this chapter: right, and how fast they are on a GPU.

#include "tut/bench/demo.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "11_hopper/cublas_transposed_b.hpp"
#include "11_hopper/matmul_clusters.hpp"
#include "11_hopper/matmul_persistent.hpp"
#include "11_hopper/matmul_specialised.hpp"
#include "11_hopper/matmul_tma_pipeline.hpp"
#include "11_hopper/matmul_wgmma.hpp"
#include "11_hopper/tensor_map.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/compute_capability.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;
using T = __nv_bfloat16;

struct Row {
  const char* name;
  void (*matmul)(MatrixView<const T>, MatrixView<const T>, MatrixView<T>, cudaStream_t);
};

const std::vector<Row> ROWS = {{"cublasGemmEx", ch11::cublas_transposed_b},
                               {"matmul_wgmma", ch11::matmul_wgmma},
                               {"matmul_tma_pipeline", ch11::matmul_tma_pipeline},
                               {"matmul_specialised", ch11::matmul_specialised},
                               {"matmul_persistent", ch11::matmul_persistent},
                               {"matmul_clusters", ch11::matmul_clusters}};

/// C in float, for largest_difference.
HostMatrix<float> in_float(const HostMatrix<T>& matrix) {
  return make_matrix<float>(matrix.rows(), matrix.cols(),
                            [&](int r, int c) { return __bfloat162float(matrix(r, c)); });
}

}  // namespace

int main(int argc, char** argv) {
  return run_without_arguments("ch11_demo", argc, argv, [] {
    if (compute_capability() != ch11::HOPPER_CAPABILITY) {
      std::printf("wgmma and TMA as this chapter has them need compute capability 9.0\n");
      return;
    }
    const int n = on_cpu_backend ? 512 : 4096;
    HostMatrix<T> host_a(n, n), host_b(n, n);
    fill_uniform(host_a, 1);
    fill_uniform(host_b, 2);
    const DeviceMatrix<T> a(host_a), b(host_b);
    DeviceMatrix<T> c(n, n);
    HostMatrix<float> reference(n, n);

    std::printf("%d x %d times %d x %d transposed, in bfloat16, sums in FP32\n", n, n, n, n);
    std::printf("%-24s %12s", "", "from cuBLAS");
    if (!on_cpu_backend) std::printf(" %9s %9s", "ms", "TFLOP/s");
    std::printf("\n");
    for (const Row& row : ROWS) {
      const auto run = [&] { row.matmul(a.cview(), b.cview(), c.view(), nullptr); };
      run();
      check(cudaDeviceSynchronize());
      if (row.matmul == ch11::cublas_transposed_b) reference = in_float(c.download());
      const double difference = largest_difference(in_float(c.download()), reference);
      // Sums of this size lie in units of up to 2^-8 times 128.
      if (!(difference <= 0.5)) {
        throw std::runtime_error(std::string(row.name) + " is off by " +
                                 std::to_string(difference) + "; expected at most 0.5");
      }
      if (on_cpu_backend) {
        std::printf("%-24s %12g\n", row.name, difference);
        continue;
      }
      const auto ms = static_cast<double>(best_ms(run));
      std::printf("%-24s %12g %9.3f %9.1f\n", row.name, difference, ms, 2e-9 * n * n * n / ms);
    }
    if (on_cpu_backend) std::printf("Times of the CPU backend say nothing about a GPU.\n");
  });
}
