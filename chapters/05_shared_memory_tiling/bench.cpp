// The tiled product beside the naive one and cuBLAS; the transpose beside a plain copy.

#include "tut/bench/bench.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "04_naive_cuda_matmul/matmul_coalesced.hpp"
#include "05_shared_memory_tiling/matmul_tiled.hpp"
#include "05_shared_memory_tiling/transpose_tiled.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/cublas_matmul.hpp"

namespace tut::ch05 {
namespace {

const std::vector<MatmulRival<float, float>> matmuls = {
    {.name = "matmul_coalesced", .run = ch04::matmul_coalesced},
    {.name = "matmul_tiled", .run = matmul_tiled},
    {.name = "cublasSgemm", .run = cublas_matmul, .rival = true},
};

constexpr int side = on_cpu_backend ? 1024 : 8192;  // of the matrix that is transposed

// Whether the transpose is right; a wrong one is not worth timing.
bool is_transposed(const HostMatrix<float>& in, const HostMatrix<float>& out) {
  for (int r = 0; r < in.rows(); ++r) {
    for (int c = 0; c < in.cols(); ++c) {
      if (out(c, r) != in(r, c)) return false;
    }
  }
  return true;
}

struct Transpose {
  Transpose() : host(side, side), in(random(host)), out(side, side) {}
  static const HostMatrix<float>& random(HostMatrix<float>& matrix) {
    fill_uniform(matrix, 1);
    return matrix;
  }
  HostMatrix<float> host;
  DeviceMatrix<float> in, out;
};

void add_transpose() {
  const std::string size = std::to_string(side) + "x" + std::to_string(side);
  const double bytes = 8.0 * side * side;
  const auto data = made_once<Transpose>();
  add_bench_step(
      {.ladder = "transpose", .size = size, .name = "transpose_tiled", .cost = {.bytes = bytes}},
      [=] {
        Transpose& t = data();
        transpose_tiled(t.in.cview(), t.out.view());
        return std::string(is_transposed(t.host, t.out.download()) ? "" : "wrong result");
      },
      [=](std::int64_t, cudaStream_t stream) {
        transpose_tiled(data().in.cview(), data().out.view(), stream);
      });
  add_copy_rival("transpose", size, bytes);
}

const BenchRows rows_of_chapter([] {
  add_matmul_benchmarks(
      matmuls, on_cpu_backend ? std::vector<MatmulShape>{{256, 256, 256}, {512, 512, 512}}
                              : std::vector<MatmulShape>{{1024, 1024, 1024}, {4096, 4096, 4096}});
  add_transpose();
});

}  // namespace
}  // namespace tut::ch05
