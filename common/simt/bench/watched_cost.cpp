// What check mode or count mode costs, whichever the program is linked with: a tiled product at
// 256.
#include <benchmark/benchmark.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "matmul.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/errors/check.hpp"
#include "tut/numeric/random.hpp"

namespace {

constexpr int kSize = 256;
constexpr int kTile = 32;
constexpr int kTiles = kSize / kTile;

/// Loads and stores of the kernel: a thread stages two elements of each pair of tiles, reads two
/// rows of them, and stores one sum.
constexpr double kAccesses = double{kSize} * kSize * (kTiles * (4.0 + 2.0 * kTile) + 1.0);

void watched_product(benchmark::State& state) {
  constexpr std::size_t kCount = std::size_t{kSize} * kSize;
  std::vector<float> a(kCount), b(kCount);
  tut::fill_uniform(a, 1);
  tut::fill_uniform(b, 2);
  const tut::DeviceBuffer<float> device_a(a), device_b(b);
  tut::DeviceBuffer<float> device_c(kCount);
  for (auto _ : state) {
    simt_bench::fiber_products.tiled_32(device_a.data(), device_b.data(), device_c.data(), kSize);
    tut::check(cudaDeviceSynchronize());
  }
  state.counters["ns_per_access"] =
      benchmark::Counter(kAccesses * static_cast<double>(state.iterations()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(watched_product)->Name("watched_matmul_tiled_32/256")->Unit(benchmark::kMillisecond);

}  // namespace
