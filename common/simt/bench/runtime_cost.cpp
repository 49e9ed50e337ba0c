// What a thread pays for a barrier, a warp collective, and for being started, and what a launch
// costs before any thread does anything. `per_thread` is the time per thread and operation: of one
// core for the barrier and the shuffle, whose grids are one block, of all cores for the starts.
#include <benchmark/benchmark.h>

#include "kernel.hpp"

namespace {

constexpr int kRounds = 100;

// Reports the time of one operation of one thread.
void report(benchmark::State& state, unsigned threads, int operations) {
  const double count = static_cast<double>(state.iterations()) * threads * operations;
  state.counters["per_thread"] =
      benchmark::Counter(count, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void barrier(benchmark::State& state) {
  const auto threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    launch_fibers(1, threads, [](const uint3, const uint3, const dim3, const dim3) {
      for (int i = 0; i < kRounds; ++i) __syncthreads();
    });
  }
  report(state, threads, kRounds);
}

void shuffle(benchmark::State& state) {
  const auto threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    launch_fibers(1, threads, [](const uint3 thread, const uint3, const dim3, const dim3) {
      std::uint64_t value = thread.x;
      for (int i = 0; i < kRounds; ++i) {
        value += simt::warp_collective(simt::WarpOperation::shuffle_down, ~0U, value, 1);
      }
      benchmark::DoNotOptimize(value);
    });
  }
  report(state, threads, kRounds);
}

void start_of_waiting_threads(benchmark::State& state) {
  const auto threads = static_cast<unsigned>(state.range(0));
  constexpr unsigned kBlocks = 16;
  for (auto _ : state) {
    launch_fibers(kBlocks, threads,
                  [](const uint3, const uint3, const dim3, const dim3) { __syncthreads(); });
  }
  report(state, threads * kBlocks, 1);
}

void start_of_threads(benchmark::State& state) {
  const auto threads = static_cast<unsigned>(state.range(0));
  constexpr unsigned kBlocks = 16;
  volatile bool wait = false;
  for (auto _ : state) {
    launch_fibers(kBlocks, threads, [&](const uint3, const uint3, const dim3, const dim3) {
      if (wait) __syncthreads();
    });
  }
  report(state, threads * kBlocks, 1);
}

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

BENCHMARK(barrier)->Arg(32)->Arg(64)->Arg(256)->Arg(1024);
BENCHMARK(shuffle)->Arg(32)->Arg(256);
BENCHMARK(start_of_waiting_threads)->Arg(32)->Arg(256)->Arg(1024)->UseRealTime();
BENCHMARK(start_of_threads)->Arg(256)->Arg(1024)->UseRealTime();
BENCHMARK(empty_grid)->Args({1, 1})->Args({1000, 256})->UseRealTime();
BENCHMARK(empty_grid_on_fibers)->Args({1, 1})->Args({1000, 256})->UseRealTime();

}  // namespace
