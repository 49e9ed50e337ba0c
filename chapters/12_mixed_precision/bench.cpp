// Three TF32 products beside cublasSgemm, which they shall match, and one TF32 product, whose speed
// they divide by three; and a step of mixed-precision training on the memory it moves.

#include "tut/bench.hpp"

#include <cuda_fp16.h>

#include <vector>

#include "12_mixed_precision/loss_scaler.hpp"
#include "12_mixed_precision/matmul_3xtf32.hpp"
#include "12_mixed_precision/matmul_tensor.hpp"
#include "12_mixed_precision/sgd_master_weights.hpp"
#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/backend.hpp"
#include "tut/cublas_matmul.hpp"
#include "tut/device_buffer.hpp"

namespace tut::ch12 {
namespace {

/// cuBLAS with FP32 matrices that it may round to TF32.
void cublas_tf32(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                 cudaStream_t stream) {
  static thread_local CublasHandle handle;
  handle.set_stream(stream);
  check(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
  const float one = 1.0f, zero = 0.0f;  // column-major: CT = BT AT
  check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, c.cols, c.rows, a.cols, &one, b.data,
                    static_cast<int>(b.stride), a.data, static_cast<int>(a.stride), &zero, c.data,
                    static_cast<int>(c.stride)));
}

std::vector<MatmulRival<float, float>> rivals() {
  std::vector<MatmulRival<float, float>> list{{"cublasSgemm", cublas_matmul}};
  if (!has_tf32_and_bfloat16()) return list;
  const MatmulTolerance tf32{.accumulation = 0x1p-22, .input_rounding = 0x1p-10};
  list.push_back({"matmul_3xtf32", matmul_3xtf32});
  list.push_back({"cublasSgemm TF32", cublas_tf32, tf32});
  list.push_back({"matmul_tf32", matmul_tf32, tf32});
  return list;
}

constexpr std::size_t WEIGHTS = on_cpu_backend ? 1 << 20 : 1 << 26;

void bench_unscale(benchmark::State& state) {
  const DeviceBuffer<half> gradient(std::vector<half>(WEIGHTS, half(1.0f)));
  const DeviceBuffer<float> unscaled(WEIGHTS);
  LossScaler scaler;
  measure_device(state, {.flops = 0, .bytes = 6.0 * WEIGHTS},
                 [&](std::int64_t, cudaStream_t stream) {
                   scaler.unscale(std::span<const half>(gradient.data(), WEIGHTS),
                                  {unscaled.data(), WEIGHTS}, stream);
                 });
}

void bench_step(benchmark::State& state) {
  const std::vector<float> zeros(WEIGHTS, 0.0f);
  const DeviceBuffer<float> weights(zeros), velocity(zeros), gradient(zeros);
  const DeviceBuffer<half> copy(WEIGHTS);
  const LossScaler scaler;
  measure_device(state, {.flops = 0, .bytes = 22.0 * WEIGHTS},
                 [&](std::int64_t, cudaStream_t stream) {
                   sgd_master_weights({weights.data(), WEIGHTS}, {velocity.data(), WEIGHTS},
                                      {gradient.data(), WEIGHTS}, {copy.data(), WEIGHTS},
                                      scaler.state(), 0.1f, 0.9f, stream);
                 });
}

[[maybe_unused]] const bool registered = [] {
  add_matmul_benchmarks(
      rivals(), on_cpu_backend ? std::vector<MatmulShape>{{256, 256, 256}}
                               : std::vector<MatmulShape>{
                                     {1024, 1024, 1024}, {4096, 4096, 4096}, {8192, 8192, 8192}});
  const auto add = [](const char* name, void (*function)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, function)->UseManualTime()->Unit(benchmark::kMicrosecond);
  };
  add("unscale_and_check", bench_unscale);
  add("sgd_master_weights", bench_step);
  return true;
}();

}  // namespace
}  // namespace tut::ch12
