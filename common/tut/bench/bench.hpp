#pragma once

#include <benchmark/benchmark.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tut/bench/bench_settings.hpp"
#include "tut/bench/bench_step.hpp"
#include "tut/bench/bench_timer.hpp"
#include "tut/bench/matmul_rivals.hpp"

namespace tut {

/// Adds FLOP/s and bytes/s, where the cost is known, as rates over the measured time.
inline void add_rates(benchmark::State& state, const BenchCost& cost) {
  using benchmark::Counter;
  const auto rate = [](double amount, Counter::OneK k) {
    return Counter(amount, Counter::kIsIterationInvariantRate, k);
  };
  if (cost.flops > 0) state.counters["FLOP/s"] = rate(cost.flops, Counter::kIs1000);
  if (cost.bytes > 0) state.counters["bytes/s"] = rate(cost.bytes, Counter::kIs1000);
}

/// Runs `batch(calls)`, which returns its seconds, until two in a row agree within 2 percent, for
/// 3 times at least and half a second at most. Returns how many calls take about a millisecond.
template <class Batch>
int warm_up(Batch&& batch) {
  double previous = batch(1), spent = previous;
  for (int round = 1; spent < 0.5; ++round) {
    const double now = batch(1);
    const bool settled = std::abs(now - previous) <= 0.02 * previous;
    spent += now;
    previous = now;
    if (round >= 2 && settled) break;
  }
  return static_cast<int>(std::clamp(1e-3 / std::max(previous, 1e-7), 1.0, 200.0));
}

/// The timing loop: `batch(calls)` returns the seconds of so many calls, each of which is an
/// iteration. Returns those of one, the mean. `row_calls`, 0 at first, keeps the size of the row's
/// batches, so that each repetition has the same number of iterations, which Google Benchmark
/// relies on.
template <class Batch>
double measure_batches(benchmark::State& state, const BenchCost& cost, int& row_calls,
                       Batch&& batch) {
  const int settled = warm_up(batch);
  if (row_calls == 0) row_calls = settled;
  const int calls = row_calls;
  double sum = 0;
  while (state.KeepRunningBatch(calls)) {
    const double seconds = batch(calls);
    state.SetIterationTime(seconds);
    sum += seconds;
  }
  add_rates(state, cost);
  return sum / static_cast<double>(state.iterations());
}

/// A benchmark of device code. `call(index, stream)` launches once; index counts up, and picks the
/// copy of the inputs: `inputs[index % rotation_count(bytes)]`. Register with UseManualTime().
/// Returns the mean seconds of a call. See measure_batches for `row_calls`.
template <class Call>
double measure_device(benchmark::State& state, const BenchCost& cost, int& row_calls, Call&& call) {
  DeviceTimer timer;
  std::int64_t index = 0;
  return measure_batches(state, cost, row_calls, [&](int calls) {
    return timer.seconds([&](cudaStream_t stream) {
      for (int i = 0; i < calls; ++i) call(index++, stream);
    });
  });
}

/// The same for host code: `call(index)` does the work.
template <class Call>
double measure_host(benchmark::State& state, const BenchCost& cost, int& row_calls, Call&& call) {
  std::int64_t index = 0;
  return measure_batches(state, cost, row_calls, [&](int calls) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call(index++);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  });
}

/// The arithmetic of a product of matrices of T, as BenchCost names it.
template <class T>
constexpr const char* arithmetic_of() {
  if constexpr (std::is_same_v<T, __half>) return "fp16";
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return "bf16";
  return "fp32";
}

/// Adds every rival on every shape, as rows of a ladder: "LADDER/MxNxK/NAME". A rival whose product
/// is wrong gets an error in place of a time. The main program interleaves the repetitions and
/// reports medians.
template <class T, class U>
void add_matmul_benchmarks(const std::vector<MatmulRival<T, U>>& rivals,
                           const std::vector<MatmulShape>& shapes,
                           const std::string& ladder = "matmul") {
  for (const MatmulShape& shape : shapes) {
    const std::string size =
        std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
    for (const MatmulRival<T, U>& rival : rivals) {
      BenchCost cost = matmul_cost<T, U>(shape);
      cost.arithmetic = rival.arithmetic.empty() ? arithmetic_of<T>() : rival.arithmetic;
      add_bench_step(
          {ladder, size, rival.name, cost, rival.rival},
          [=] { return sample_error(rival, shape, MatmulRotation<T, U>::of(shape)); },
          [=](std::int64_t i, cudaStream_t stream) {
            auto& inputs = MatmulRotation<T, U>::of(shape);
            rival.run(inputs.a(i), inputs.b(i), inputs.c(i), stream);
          });
    }
  }
}

}  // namespace tut
