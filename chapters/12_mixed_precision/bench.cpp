// Three TF32 products beside cublasSgemm, which they shall match, and one TF32 product, whose speed
// they divide by three; and a step of mixed-precision training on the memory it moves.

#include "tut/bench/bench.hpp"

#include <cuda_fp16.h>

#include <cstdint>
#include <string>
#include <vector>

#include "12_mixed_precision/loss_scaler.hpp"
#include "12_mixed_precision/matmul_3xtf32.hpp"
#include "12_mixed_precision/matmul_tensor.hpp"
#include "12_mixed_precision/sgd_master_weights.hpp"
#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/cublas_matmul.hpp"
#include "tut/device/device_buffer.hpp"

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
  std::vector<MatmulRival<float, float>> list;
  const MatmulTolerance tf32{.accumulation = 0x1p-22, .input_rounding = 0x1p-10};
  const bool has_tf32 = has_tf32_and_bfloat16();
  if (has_tf32) {
    list.push_back(
        {.name = "matmul_tf32", .run = matmul_tf32, .tolerance = tf32, .arithmetic = "tf32"});
    list.push_back({.name = "matmul_3xtf32", .run = matmul_3xtf32, .arithmetic = "tf32/3"});
  }
  list.push_back({.name = "cublasSgemm", .run = cublas_matmul, .rival = true});
  if (has_tf32) {
    list.push_back({.name = "cublasSgemm in TF32",
                    .run = cublas_tf32,
                    .tolerance = tf32,
                    .rival = true,
                    .arithmetic = "tf32"});
  }
  return list;
}

constexpr std::size_t WEIGHTS = on_cpu_backend ? 1 << 20 : 1 << 26;

struct Unscaling {
  DeviceBuffer<half> gradient{std::vector<half>(WEIGHTS, half(1.0f))};
  DeviceBuffer<float> unscaled{WEIGHTS};
  LossScaler scaler;

  void run(cudaStream_t stream) {
    scaler.unscale(std::span<const half>(gradient.data(), WEIGHTS), {unscaled.data(), WEIGHTS},
                   stream);
  }
};

struct Step {
  DeviceBuffer<float> weights{std::vector<float>(WEIGHTS, 1.0f)};
  DeviceBuffer<float> velocity{std::vector<float>(WEIGHTS, 0.5f)};
  DeviceBuffer<float> gradient{std::vector<float>(WEIGHTS, 0.25f)};
  DeviceBuffer<half> copy{WEIGHTS};
  LossScaler scaler;

  void run(cudaStream_t stream) {
    sgd_master_weights({weights.data(), WEIGHTS}, {velocity.data(), WEIGHTS},
                       {gradient.data(), WEIGHTS}, {copy.data(), WEIGHTS}, scaler.state(), 0.5f,
                       0.5f, stream);
  }
};

template <class T>
std::string unless_all_are(const DeviceBuffer<T>& values, float expected) {
  for (const T value : values.to_host()) {
    if (static_cast<float>(value) != expected) return "wrong result";
  }
  return "";
}

void add_training() {
  const std::string size = std::to_string(WEIGHTS);
  const auto unscaling = made_once<Unscaling>();
  add_bench_step(
      {"unscale", size, "unscale_and_check", {.bytes = 6.0 * WEIGHTS}},
      [=] {
        unscaling().run(nullptr);
        return unless_all_are(unscaling().unscaled, 1.0f / unscaling().scaler.policy().initial);
      },
      [=](std::int64_t, cudaStream_t stream) { unscaling().run(stream); });
  add_copy_rival("unscale", size, 6.0 * WEIGHTS);
  const auto step = made_once<Step>();
  add_bench_step(
      {"step", size, "sgd_master_weights", {.bytes = 22.0 * WEIGHTS}},
      [=] {
        // velocity = 0.5 * 0.5 + 0.25, weights = 1 - 0.5 * velocity
        step().run(nullptr);
        const std::string wrong = unless_all_are(step().weights, 0.75f);
        return wrong.empty() ? unless_all_are(step().copy, 0.75f) : wrong;
      },
      [=](std::int64_t, cudaStream_t stream) { step().run(stream); });
  add_copy_rival("step", size, 22.0 * WEIGHTS);
}

const BenchRows rows_of_chapter([] {
  add_matmul_benchmarks(
      rivals(), on_cpu_backend ? std::vector<MatmulShape>{{256, 256, 256}}
                               : std::vector<MatmulShape>{
                                     {1024, 1024, 1024}, {4096, 4096, 4096}, {8192, 8192, 8192}});
  add_training();
});

}  // namespace
}  // namespace tut::ch12
