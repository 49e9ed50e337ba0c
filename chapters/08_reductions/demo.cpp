// The ladder of sums, softmax in three passes and in one, and two transposes: what each moves, and
// on a GPU in what time.

#include "tut/bench/demo.hpp"

#include <cmath>
#include <cstdio>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "05_shared_memory_tiling/transpose_tiled.hpp"
#include "08_reductions/softmax_online.hpp"
#include "08_reductions/softmax_passes.hpp"
#include "08_reductions/sum_atomic.hpp"
#include "08_reductions/sum_shared.hpp"
#include "08_reductions/sum_vectorized.hpp"
#include "08_reductions/sum_warp.hpp"
#include "08_reductions/transpose_vectorized.hpp"
#include "tut/bench/counting.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;
using namespace tut::ch08;

/// What a call does to memory, where the program counts.
struct Costs {
  double bytes = NAN, waiting = NAN, shared_requests = NAN;
};

Costs costs_of(const std::function<void()>& call) {
  if (!can_count()) return {};
  const Counters counters = counted(call);
  const TrafficCounts all = counters.total();
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  return {number(counters.bytes_moved()), number(of(all, Traffic::global_atomic).repeats),
          number(of(all, Traffic::shared_load).requests + of(all, Traffic::shared_store).requests)};
}

void show_time(const std::function<void()>& call, double bytes) {
  if constexpr (!on_cpu_backend) {
    const double ms = best_ms(call);
    std::printf(" %10.3f ms %7.0f GB/s", ms, 1e-6 * bytes / ms);
  }
  std::printf("\n");
}

void show_sums(std::size_t size) {
  std::vector<float> values(size);
  fill_uniform(values, 1, 0, 1);
  double expected = 0;
  for (const float value : values) expected += value;
  const DeviceBuffer<float> in(values), out(1),
      scratch(std::max(sum_levels_scratch(size), sum_vectorized_scratch(size)));
  const DeviceBuffer<unsigned> finished(std::vector<unsigned>{0});
  const std::span<const float> from{in.data(), size};
  const std::span<float> memory{scratch.data(), scratch.size()};
  struct Way {
    const char* name;
    std::function<void()> run;
  };
  const auto count = static_cast<double>(size);
  std::printf("sum of %zu floats\n%-22s %10s %16s %18s %12s\n", size, "", "bytes each",
              "atomics waiting", "shared requests", "error");
  for (const Way& way : {Way{"sum_atomic", [&] { sum_atomic(from, out.data()); }},
                         Way{"sum_shared", [&] { sum_shared(from, memory, out.data()); }},
                         Way{"sum_warp", [&] { sum_warp(from, memory, out.data()); }},
                         Way{"sum_vectorized",
                             [&] { sum_vectorized(from, memory, finished.data(), out.data()); }}}) {
    const Costs costs = costs_of(way.run);
    way.run();
    const double error = std::abs(out.to_host()[0] - expected) / expected;
    if (!(error < 1e-3)) throw std::runtime_error(std::string(way.name) + " is wrong");
    std::printf("%-22s %10.3f %16.0f %18.0f %12.1e", way.name, costs.bytes / count, costs.waiting,
                costs.shared_requests, error);
    show_time(way.run, 4.0 * count);
  }
}

/// Two ways from one matrix to another, with the same result.
struct Pair {
  const char *first_name, *second_name;
  std::function<void(MatrixView<const float>, MatrixView<float>)> first, second;
};

void show_pair(const Pair& pair, int rows, int cols, int out_rows, int out_cols) {
  HostMatrix<float> values(rows, cols);
  fill_uniform(values, 2, -5, 5);
  const DeviceMatrix<float> in(values);
  DeviceMatrix<float> out(out_rows, out_cols), again(out_rows, out_cols);
  const auto show = [&](const char* name, const auto& way, DeviceMatrix<float>& to) {
    const std::function<void()> run = [&] { way(in.cview(), to.view()); };
    const Costs costs = costs_of(run);
    run();
    const double elements = static_cast<double>(rows) * cols;
    std::printf("%-22s %10.3f %35.0f", name, costs.bytes / elements, costs.shared_requests);
    show_time(run, 8.0 * elements);
  };
  std::printf("rows of %d\n", cols);
  show(pair.first_name, pair.first, out);
  show(pair.second_name, pair.second, again);
  if (!(largest_difference(out.download(), again.download()) < 1e-6)) {
    throw std::runtime_error(std::string(pair.second_name) + " gives another result");
  }
}

void show_all() {
  show_sums(on_cpu_backend ? 1 << 20 : 1 << 24);
  const Pair softmax{"softmax_passes", "softmax_online",
                     [](auto in, auto out) { softmax_passes(in, out); },
                     [](auto in, auto out) { softmax_online(in, out); }};
  const int size = on_cpu_backend ? 1 << 16 : 1 << 26;
  std::printf("softmax\n");
  for (const int cols : {64, 1024, 16384, 32768}) {
    show_pair(softmax, size / cols, cols, size / cols, cols);
  }
  const Pair transposes{"transpose_tiled", "transpose_vectorized",
                        [](auto in, auto out) { ch05::transpose_tiled(in, out); },
                        [](auto in, auto out) { transpose_vectorized(in, out); }};
  const int rows = on_cpu_backend ? 512 : 8192;
  std::printf("transpose\n");
  show_pair(transposes, rows, rows / 2, rows / 2, rows);
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch08_demo", argc, argv, [] { show_all(); });
}
