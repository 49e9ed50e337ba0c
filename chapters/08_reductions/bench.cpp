// Reductions beside a plain copy of as many bytes, the sum also beside CUB.

#include "tut/bench.hpp"

#include <functional>
#include <string>
#include <vector>

#include "05_shared_memory_tiling/transpose_tiled.hpp"
#include "08_reductions/bench_cases.hpp"
#include "08_reductions/softmax_online.hpp"
#include "08_reductions/softmax_passes.hpp"
#include "08_reductions/sum_atomic.hpp"
#include "08_reductions/sum_shared.hpp"
#include "08_reductions/sum_vectorized.hpp"
#include "08_reductions/sum_warp.hpp"
#include "08_reductions/transpose_vectorized.hpp"
#include "tut/backend.hpp"
#ifdef TUT_HAS_CUB
#include "08_reductions/cub_sum.hpp"
#endif

namespace tut::ch08 {
namespace {

/// One row of a table. Every call of `run` and `verify` gets the case from case_of.
struct Step {
  std::string name;
  double bytes;
  std::function<void(cudaStream_t)> run;
  std::function<std::string()> verify;  ///< what is wrong with the result of run, or ""
};

void add(const Step& step) {
  const auto body = [step, checked = false,
                     error = std::string()](benchmark::State& state) mutable {
    if (!std::exchange(checked, true)) {
      step.run(nullptr);
      check_launch();
      check(cudaDeviceSynchronize());
      error = step.verify();
    }
    if (!error.empty()) return state.SkipWithError(error.c_str());
    measure_device(state, {.flops = 0, .bytes = step.bytes},
                   [&](std::int64_t, cudaStream_t stream) { step.run(stream); });
  };
  benchmark::RegisterBenchmark(step.name.c_str(), body)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

using FlatRun = std::function<void(const Flat&, cudaStream_t)>;

void add_flat(std::size_t n, const char* name, const FlatRun& run,
              std::string (Flat::*verify)() const) {
  add({std::string(name) + "/" + std::to_string(n), 4.0 * static_cast<double>(n),
       [=](cudaStream_t stream) { run(case_of<Flat>(n), stream); },
       [=] { return (case_of<Flat>(n).*verify)(); }});
}

void add_flat_steps(std::size_t n, bool all) {
  const auto add_sum = [&](const char* name, const FlatRun& run) {
    add_flat(n, name, run, &Flat::verify_sum);
  };
  if (all) {
    add_sum("sum_atomic",
            [](const Flat& f, cudaStream_t s) { sum_atomic(f.span(), f.out.data(), s); });
  }
  add_sum("sum_shared",
          [](const Flat& f, cudaStream_t s) { sum_shared(f.span(), f.memory(), f.out.data(), s); });
  add_sum("sum_warp",
          [](const Flat& f, cudaStream_t s) { sum_warp(f.span(), f.memory(), f.out.data(), s); });
  add_sum("sum_vectorized", [](const Flat& f, cudaStream_t s) {
    sum_vectorized(f.span(), f.memory(), f.finished.data(), f.out.data(), s);
  });
#ifdef TUT_HAS_CUB
  add_sum("cub::DeviceReduce::Sum", [](const Flat& f, cudaStream_t s) {
    cub_sum(f.span(), {f.cub_scratch.data(), f.cub_scratch.size()}, f.out.data(), s);
  });
#endif
  add_flat(
      n, "argmax",
      [](const Flat& f, cudaStream_t s) {
        argmax(f.span(), {f.candidates.data(), f.candidates.size()}, f.largest.data(), s);
      },
      &Flat::verify_argmax);
  add({"cudaMemcpy/" + std::to_string(n), 8.0 * static_cast<double>(n),
       [=](cudaStream_t s) {
         const Flat& f = case_of<Flat>(n);
         check(cudaMemcpyAsync(f.copy.data(), f.in.data(), f.in.bytes(), cudaMemcpyDeviceToDevice,
                               s));
       },
       [] { return std::string(); }});
  if (!all) return;
  const auto bytes = [](const Flat& f) {
    return std::span{reinterpret_cast<const std::uint8_t*>(f.in.data()), 4 * f.size};
  };
  const auto bins = [](const Flat& f) { return std::span{f.bins.data(), f.bins.size()}; };
  add_flat(
      n, "histogram_atomic",
      [=](const Flat& f, cudaStream_t s) { histogram_atomic(bytes(f), bins(f), s); },
      &Flat::verify_histogram);
  add_flat(
      n, "histogram", [=](const Flat& f, cudaStream_t s) { histogram(bytes(f), bins(f), s); },
      &Flat::verify_histogram);
}

using RowsRun = std::function<void(const Rows&, cudaStream_t)>;

void copy(const Rows& r, cudaStream_t s) {
  check(cudaMemcpyAsync(r.out.data(), r.in.data(), r.in.bytes(), cudaMemcpyDeviceToDevice, s));
}

template <class Expected>
void add_rows(int m, int n, const char* name, double bytes_each, const RowsRun& run, double bound,
              const Expected& expected) {
  add({std::string(name) + "/" + std::to_string(m) + "x" + std::to_string(n),
       bytes_each * static_cast<double>(m) * n,
       [=](cudaStream_t stream) { run(case_of<Rows>(m, n), stream); },
       [=] {
         const Rows& rows = case_of<Rows>(m, n);
         return rows.verify(bound, [&](const float* x) { return std::invoke(expected, rows, x); });
       }});
}

void add_row_steps(int m, int n) {
  const auto add_softmax = [&](const char* name, auto run) {
    add_rows(
        m, n, name, 8, [=](const Rows& r, cudaStream_t s) { run(r.view(r.in), r.view(r.out), s); },
        1e-6, [](const Rows& r, const float* x) { return r.softmax(x); });
  };
  add_softmax("softmax_passes", softmax_passes);
  add_softmax("softmax_online", softmax_online);
  add_rows(m, n, "layer_norm", 8, &Rows::run_layer_norm, 1e-4,
           [](const Rows& r, const float* x) { return r.norm(x, true); });
  add_rows(m, n, "rms_norm", 8, &Rows::run_rms_norm, 1e-4,
           [](const Rows& r, const float* x) { return r.norm(x, false); });
  add_rows(m, n, "layer_norm_backward", 12, &Rows::run_layer_norm_backward, 1e-4,
           [](const Rows& r, const float* x) { return r.norm_gradient(x, true); });
  add_rows(m, n, "rms_norm_backward", 12, &Rows::run_rms_norm_backward, 1e-4,
           [](const Rows& r, const float* x) { return r.norm_gradient(x, false); });
  add_rows(m, n, "cudaMemcpy", 8, copy, 0, &Rows::copy);
}

void add_transposes(int n) {
  const auto add_transpose = [&](const char* name, auto run) {
    add({std::string(name) + "/" + std::to_string(n) + "x" + std::to_string(n), 8.0 * n * n,
         [=](cudaStream_t s) {
           const Rows& r = case_of<Rows>(n, n);
           run(r.view(r.in), r.view(r.out), s);
         },
         [=] { return case_of<Rows>(n, n).verify_transpose(); }});
  };
  add_transpose("transpose_tiled", ch05::transpose_tiled);
  add_transpose("transpose_vectorized", transpose_vectorized);
  add_rows(n, n, "cudaMemcpy", 8, copy, 0, &Rows::copy);
}

[[maybe_unused]] const bool registered = [] {
  constexpr std::size_t SOME = std::size_t{1} << (on_cpu_backend ? 18 : 26);
  add_flat_steps(SOME, true);
  if (!on_cpu_backend) add_flat_steps(std::size_t{1} << 30, false);
  constexpr int ELEMENTS = on_cpu_backend ? 1 << 19 : 1 << 28;
  for (const int cols : {1024, 4096, 16384}) add_row_steps(ELEMENTS / cols, cols);
  add_transposes(on_cpu_backend ? 512 : 16384);
  return true;
}();

}  // namespace
}  // namespace tut::ch08
