// What the first kernels reach of the memory's bandwidth, beside a plain copy and cuBLAS's saxpy.

#include "tut/bench.hpp"

#include <cublas_v2.h>

#include <vector>

#include "03_first_kernels/saxpy.hpp"
#include "03_first_kernels/vector_add.hpp"
#include "tut/backend.hpp"
#include "tut/cublas.hpp"
#include "tut/device_buffer.hpp"

namespace tut::ch03 {
namespace {

constexpr int n = on_cpu_backend ? 1 << 20 : 1 << 26;

// Vectors of n random values each, and the products of a call.
struct Vectors {
  std::vector<float> host_x, host_y;
  DeviceBuffer<float> x, y, z;

  Vectors() : host_x(n), host_y(n), x(n), y(n), z(n) {
    fill_uniform(host_x, 1);
    fill_uniform(host_y, 2);
    x.copy_from(host_x);
    y.copy_from(host_y);
    z.copy_from(host_y);
  }
  // Whether got[i] is factor * x[i] + y[i], rounded once or twice.
  bool is_sum(const std::vector<float>& got, float factor) const {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double expected = static_cast<double>(factor) * host_x[i] + host_y[i];
      if (!(std::abs(got[i] - expected) <= 0x1p-22)) return false;
    }
    return true;
  }
};

void bench_vector_add(benchmark::State& state) {
  const Vectors v;
  vector_add(v.x.data(), v.y.data(), v.z.data(), n);
  if (!v.is_sum(v.z.to_host(), 1.0f)) state.SkipWithError("the sum is wrong");
  measure_device(state, {.flops = 1.0 * n, .bytes = 12.0 * n},
                 [&](std::int64_t, cudaStream_t stream) {
                   vector_add(v.x.data(), v.y.data(), v.z.data(), n, stream);
                 });
}

void bench_saxpy(benchmark::State& state) {
  const Vectors v;
  saxpy(0.5f, v.x.data(), v.z.data(), n);
  if (!v.is_sum(v.z.to_host(), 0.5f)) state.SkipWithError("saxpy is wrong");
  measure_device(
      state, {.flops = 2.0 * n, .bytes = 12.0 * n},
      [&](std::int64_t, cudaStream_t stream) { saxpy(0.5f, v.x.data(), v.z.data(), n, stream); });
}

void bench_cublas_saxpy(benchmark::State& state) {
  const Vectors v;
  CublasHandle handle;
  const auto call = [&](cudaStream_t stream) {
    const float factor = 0.5f;
    handle.set_stream(stream);
    check(cublasSaxpy(handle, n, &factor, v.x.data(), 1, v.z.data(), 1));
  };
  call(nullptr);
  if (!v.is_sum(v.z.to_host(), 0.5f)) state.SkipWithError("cublasSaxpy is wrong");
  measure_device(state, {.flops = 2.0 * n, .bytes = 12.0 * n},
                 [&](std::int64_t, cudaStream_t stream) { call(stream); });
}

void bench_copy(benchmark::State& state) {
  const Vectors v;
  measure_device(state, {.flops = 0, .bytes = 8.0 * n}, [&](std::int64_t, cudaStream_t stream) {
    check(cudaMemcpyAsync(v.z.data(), v.x.data(), v.x.bytes(), cudaMemcpyDeviceToDevice, stream));
  });
}

[[maybe_unused]] const bool registered = [] {
  const auto add = [](const char* name, void (*function)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, function)->UseManualTime()->Unit(benchmark::kMicrosecond);
  };
  add("vector_add", bench_vector_add);
  add("saxpy", bench_saxpy);
  add("cublasSaxpy", bench_cublas_saxpy);
  add("cudaMemcpy", bench_copy);
  return true;
}();

}  // namespace
}  // namespace tut::ch03
