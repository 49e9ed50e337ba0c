// What the first kernels reach of the memory's bandwidth, beside a plain copy and cuBLAS's saxpy.

#include "tut/bench/bench.hpp"

#include <cublas_v2.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "03_first_kernels/saxpy.hpp"
#include "03_first_kernels/vector_add.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/cublas.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch03 {
namespace {

constexpr int n = on_cpu_backend ? 1 << 20 : 1 << 26;

// Vectors of n random values each, and the results of a call.
struct Vectors {
  std::vector<float> host_x, host_y;
  DeviceBuffer<float> x, y, z;

  Vectors() : host_x(n), host_y(n), x(n), y(n), z(n) {
    fill_uniform(host_x, 1);
    fill_uniform(host_y, 2);
    x.copy_from(host_x);
    y.copy_from(host_y);
  }
};

// A call on the vectors, after which z[i] = factor * x[i] + y[i].
using Call = std::function<void(Vectors&, cudaStream_t)>;

// What is wrong with z after one call; z was y before.
std::string sum_error(Vectors& v, float factor, const Call& call) {
  v.z.copy_from(v.host_y);
  call(v, nullptr);
  const std::vector<float> got = v.z.to_host();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double expected = static_cast<double>(factor) * v.host_x[i] + v.host_y[i];
    // Rounded once or twice.
    if (!(std::abs(got[i] - expected) <= 0x1p-22)) return "wrong at " + std::to_string(i);
  }
  return "";
}

const BenchRows rows_of_chapter([] {
  const auto vectors = made_once<Vectors>();
  const auto add = [=](const std::string& name, double flops, float factor, const Call& call,
                       bool rival = false) {
    add_bench_step(
        {"vectors", std::to_string(n), name, {.flops = flops * n, .bytes = 12.0 * n}, rival},
        [=] { return sum_error(vectors(), factor, call); },
        [=](std::int64_t, cudaStream_t stream) { call(vectors(), stream); });
  };
  add("vector_add", 1, 1.0f, [](Vectors& v, cudaStream_t stream) {
    vector_add(v.x.data(), v.y.data(), v.z.data(), n, stream);
  });
  add("saxpy", 2, 0.5f,
      [](Vectors& v, cudaStream_t stream) { saxpy(0.5f, v.x.data(), v.z.data(), n, stream); });
  add_copy_rival("vectors", std::to_string(n), 12.0 * n);
  const auto handle = made_once<CublasHandle>();
  const auto cublas_saxpy = [=](Vectors& v, cudaStream_t stream) {
    const float factor = 0.5f;
    handle().set_stream(stream);
    check(cublasSaxpy(handle(), n, &factor, v.x.data(), 1, v.z.data(), 1));
  };
  add("cublasSaxpy", 2, 0.5f, cublas_saxpy, true);
});

}  // namespace
}  // namespace tut::ch03
