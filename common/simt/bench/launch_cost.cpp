// What a launch costs before any thread does anything, and three matrix products.
#include <benchmark/benchmark.h>

#include <vector>

#include "kernel.hpp"

namespace {

constexpr int kSize = 512;

void empty_grid(benchmark::State& state) {
  const auto blocks = static_cast<unsigned>(state.range(0));
  const auto threads = static_cast<unsigned>(state.range(1));
  for (auto _ : state) {
    launch_loop(blocks, threads, [](const uint3, const uint3, const dim3, const dim3) {});
  }
}

void empty_grid_on_fibers(benchmark::State& state) {
  const auto blocks = static_cast<unsigned>(state.range(0));
  const auto threads = static_cast<unsigned>(state.range(1));
  volatile bool wait = false;
  for (auto _ : state) {
    launch_fibers(blocks, threads, [&](const uint3, const uint3, const dim3, const dim3) {
      if (wait) __syncthreads();
    });
  }
}

/// Three device matrices of kSize x kSize, the first two filled.
struct Matrices {
  Matrices() {
    constexpr std::size_t kBytes = sizeof(float) * kSize * kSize;
    for (float** matrix : {&a, &b, &c}) cudaMalloc(matrix, kBytes);
    std::vector<float> host(kSize * kSize);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i % 97) / 97;
    cudaMemcpy(a, host.data(), kBytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host.data(), kBytes, cudaMemcpyHostToDevice);
  }
  ~Matrices() {
    for (float* matrix : {a, b, c}) cudaFree(matrix);
  }
  float *a = nullptr, *b = nullptr, *c = nullptr;
};

void report_flops(benchmark::State& state) {
  const double flops = 2.0 * kSize * kSize * kSize * static_cast<double>(state.iterations());
  state.counters["FLOP/s"] = benchmark::Counter(flops, benchmark::Counter::kIsRate);
}

void naive_matmul(benchmark::State& state) {
  const Matrices m;
  const dim3 block(16, 16);
  for (auto _ : state) {
    launch_loop(dim3(kSize / 16, kSize / 16), block,
                [a = m.a, b = m.b, c = m.c](const uint3 thread, const uint3 index, const dim3 dim,
                                            const dim3) {
                  const unsigned row = index.y * dim.y + thread.y;
                  const unsigned col = index.x * dim.x + thread.x;
                  float sum = 0;
                  for (int k = 0; k < kSize; ++k) sum += a[row * kSize + k] * b[k * kSize + col];
                  c[row * kSize + col] = sum;
                });
  }
  report_flops(state);
}

template <int kTile>
struct Tiles {
  float a[kTile][kTile];
  float b[kTile][kTile];
};

template <int kTile>
void tiled_matmul(benchmark::State& state) {
  const Matrices m;
  for (auto _ : state) {
    launch_fibers(
        dim3(kSize / kTile, kSize / kTile), dim3(kTile, kTile),
        [a = m.a, b = m.b, c = m.c](const uint3 thread, const uint3 index, const dim3, const dim3) {
          auto& tiles = simt::shared<Tiles<kTile>>();
          const unsigned row = index.y * kTile + thread.y;
          const unsigned col = index.x * kTile + thread.x;
          float sum = 0;
          for (int tile = 0; tile < kSize; tile += kTile) {
            tiles.a[thread.y][thread.x] = a[row * kSize + tile + thread.x];
            tiles.b[thread.y][thread.x] = b[(tile + thread.y) * kSize + col];
            __syncthreads();
            for (int k = 0; k < kTile; ++k) {
              sum += tiles.a[thread.y][k] * tiles.b[k][thread.x];
            }
            __syncthreads();
          }
          c[row * kSize + col] = sum;
        });
  }
  report_flops(state);
}

BENCHMARK(empty_grid)->Args({1, 1})->Args({16, 256})->Args({1000, 256})->UseRealTime();
BENCHMARK(empty_grid_on_fibers)->Args({1, 1})->Args({1000, 256})->UseRealTime();
BENCHMARK(naive_matmul)->UseRealTime();
BENCHMARK(tiled_matmul<16>)->UseRealTime();
BENCHMARK(tiled_matmul<32>)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
