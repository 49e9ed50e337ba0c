// The tiled product beside the naive one and cuBLAS; the transpose beside a plain copy.

#include "tut/bench.hpp"

#include <vector>

#include "04_naive_cuda_matmul/matmul_coalesced.hpp"
#include "05_shared_memory_tiling/matmul_tiled.hpp"
#include "05_shared_memory_tiling/transpose_tiled.hpp"
#include "tut/backend.hpp"
#include "tut/cublas_matmul.hpp"

namespace tut::ch05 {
namespace {

const std::vector<MatmulRival<float, float>> matmuls = {
    {"matmul_coalesced", ch04::matmul_coalesced},
    {"matmul_tiled", matmul_tiled},
    {"cublasSgemm", cublas_matmul},
};

constexpr int transpose_size = on_cpu_backend ? 1024 : 8192;
constexpr double transpose_bytes = 8.0 * transpose_size * transpose_size;

// Whether the transpose is right; a wrong one is not worth timing.
bool is_transposed(const HostMatrix<float>& in, const HostMatrix<float>& out) {
  for (int r = 0; r < in.rows(); ++r) {
    for (int c = 0; c < in.cols(); ++c) {
      if (out(c, r) != in(r, c)) return false;
    }
  }
  return true;
}

void bench_transpose(benchmark::State& state) {
  HostMatrix<float> host(transpose_size, transpose_size);
  fill_uniform(host, 1);
  const DeviceMatrix<float> in(host);
  DeviceMatrix<float> out(transpose_size, transpose_size);
  transpose_tiled(in.cview(), out.view());
  if (!is_transposed(host, out.download())) state.SkipWithError("the transpose is wrong");
  measure_device(
      state, {.flops = 0, .bytes = transpose_bytes},
      [&](std::int64_t, cudaStream_t stream) { transpose_tiled(in.cview(), out.view(), stream); });
}

void bench_copy(benchmark::State& state) {
  const DeviceMatrix<float> in(transpose_size, transpose_size);
  DeviceMatrix<float> out(transpose_size, transpose_size);
  measure_device(
      state, {.flops = 0, .bytes = transpose_bytes}, [&](std::int64_t, cudaStream_t stream) {
        check(cudaMemcpyAsync(out.data(), in.data(), in.bytes(), cudaMemcpyDeviceToDevice, stream));
      });
}

[[maybe_unused]] const bool registered = [] {
  add_matmul_benchmarks(
      matmuls, on_cpu_backend ? std::vector<MatmulShape>{{256, 256, 256}, {512, 512, 512}}
                              : std::vector<MatmulShape>{{1024, 1024, 1024}, {4096, 4096, 4096}});
  const auto add = [](const char* name, void (*function)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, function)->UseManualTime()->Unit(benchmark::kMicrosecond);
  };
  add("transpose_tiled", bench_transpose);
  add("cudaMemcpy", bench_copy);
  return true;
}();

}  // namespace
}  // namespace tut::ch05
