// What a thread pays for a barrier, a warp collective, and for being started: nanoseconds of one
// core. Run it with SIMT_THREADS=1; the counters are per thread and operation.
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

BENCHMARK(barrier)->Arg(32)->Arg(64)->Arg(256)->Arg(1024);
BENCHMARK(shuffle)->Arg(32)->Arg(256);
BENCHMARK(start_of_waiting_threads)->Arg(32)->Arg(256)->Arg(1024);
BENCHMARK(start_of_threads)->Arg(256)->Arg(1024);

}  // namespace

BENCHMARK_MAIN();
