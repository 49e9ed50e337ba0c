// Reductions, row by row what a lesson says of them: beside a plain copy, the sum also beside CUB.

#include "tut/bench/bench.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "05_shared_memory_tiling/transpose_tiled.hpp"
#include "08_reductions/bench_cases.hpp"
#include "08_reductions/softmax_online.hpp"
#include "08_reductions/softmax_passes.hpp"
#include "08_reductions/sum_atomic.hpp"
#include "08_reductions/sum_shared.hpp"
#include "08_reductions/sum_vectorized.hpp"
#include "08_reductions/sum_warp.hpp"
#include "08_reductions/transpose_vectorized.hpp"
#include "tut/device/backend.hpp"
#include "tut/errors/check.hpp"
#ifdef TUT_HAS_CUB
#include "08_reductions/cub_sum.hpp"
#endif

namespace tut::ch08 {
namespace {

/// The inputs of a ladder's rows. What was asked for last is kept: all of them together would not
/// fit into every device's memory.
template <class Case, class... Sizes>
Case& case_of(Sizes... sizes) {
  static std::unique_ptr<Case> kept;
  if (kept == nullptr || !kept->is(sizes...)) {
    kept.reset();
    kept = std::make_unique<Case>(sizes...);
  }
  return *kept;
}

/// Adds a row that runs on case_of<Case>(sizes...). `verify(case)` says what is wrong with a
/// result.
template <class Case, class Run, class Verify, class... Sizes>
void add(const BenchStep& step, const Run& run, const Verify& verify, Sizes... sizes) {
  add_bench_step(
      step,
      [=] {
        const Case& data = case_of<Case>(sizes...);
        run(data, nullptr);
        check_launch();
        check(cudaDeviceSynchronize());
        return verify(data);
      },
      [=](std::int64_t, cudaStream_t stream) { run(case_of<Case>(sizes...), stream); });
}

// Sums, and what else goes through an array once.

using FlatRun = std::function<void(const Flat&, cudaStream_t)>;

void add_flat(const char* ladder, std::size_t n, const char* name, const FlatRun& run,
              std::string (Flat::*verify)() const, bool rival = false) {
  add<Flat>(
      {.ladder = ladder,
       .size = std::to_string(n),
       .name = name,
       .cost = {.flops = 0, .bytes = 4.0 * static_cast<double>(n)},
       .rival = rival},
      run, [=](const Flat& f) { return (f.*verify)(); }, n);
}

void add_sums(std::size_t n, bool with_atomics) {
  const auto add_sum = [&](const char* name, const FlatRun& run, bool rival = false) {
    add_flat("sum", n, name, run, &Flat::verify_sum, rival);
  };
  if (with_atomics) {
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
  add_sum(
      "cub::DeviceReduce::Sum",
      [](const Flat& f, cudaStream_t s) {
        cub_sum(f.span(), {f.cub_scratch.data(), f.cub_scratch.size()}, f.out.data(), s);
      },
      true);
#endif
  add_copy_rival("sum", std::to_string(n), 8.0 * static_cast<double>(n));
}

void add_argmax(std::size_t n) {
  add_flat(
      "argmax", n, "argmax",
      [](const Flat& f, cudaStream_t s) {
        argmax(f.span(), {f.candidates.data(), f.candidates.size()}, f.largest.data(), s);
      },
      &Flat::verify_argmax);
  add_copy_rival("argmax", std::to_string(n), 8.0 * static_cast<double>(n));
}

void add_histograms(std::size_t n) {
  const auto add_histogram = [&](const char* name, auto run) {
    add_flat(
        "histogram", n, name,
        [=](const Flat& f, cudaStream_t s) {
          run({reinterpret_cast<const std::uint8_t*>(f.in.data()), 4 * f.size},
              {f.bins.data(), f.bins.size()}, s);
        },
        &Flat::verify_histogram);
  };
  add_histogram("histogram_atomic", histogram_atomic);
  add_histogram("histogram", histogram);
  add_copy_rival("histogram", std::to_string(n), 8.0 * static_cast<double>(n));
}

// Rows.

using RowsRun = std::function<void(const Rows&, cudaStream_t)>;
using RowsVerify = std::function<std::string(const Rows&)>;

std::string size_of(int m, int n) { return std::to_string(m) + "x" + std::to_string(n); }

void add_rows(const char* ladder, int m, int n, const char* name, double bytes_each,
              const RowsRun& run, const RowsVerify& verify) {
  const double elements = static_cast<double>(m) * n;
  add<Rows>({.ladder = ladder,
             .size = size_of(m, n),
             .name = name,
             .cost = {.flops = 0, .bytes = bytes_each * elements}},
            run, verify, m, n);
}

void add_softmax(int m, int n) {
  const auto add_one = [&](const char* name, auto run) {
    add_rows(
        "softmax", m, n, name, 8,
        [=](const Rows& r, cudaStream_t s) { run(r.view(r.in), r.view(r.out), s); },
        [](const Rows& r) { return r.verify(1e-6, [&](const float* x) { return r.softmax(x); }); });
  };
  add_one("softmax_passes", softmax_passes);
  add_one("softmax_online", softmax_online);
  add_copy_rival("softmax", size_of(m, n), 8.0 * m * n);
}

void add_norms(int m, int n) {
  const auto norm = [](bool centred) {
    return [=](const Rows& r) {
      return r.verify(1e-4, [&](const float* x) { return r.norm(x, centred); });
    };
  };
  const auto gradient = [](bool centred) {
    return [=](const Rows& r) {
      return r.verify(1e-4, [&](const float* x) { return r.norm_gradient(x, centred); });
    };
  };
  add_rows("norm", m, n, "layer_norm", 8, &Rows::run_layer_norm, norm(true));
  add_rows("norm", m, n, "rms_norm", 8, &Rows::run_rms_norm, norm(false));
  add_copy_rival("norm", size_of(m, n), 8.0 * m * n);
  add_rows("norm gradients", m, n, "layer_norm_backward", 12, &Rows::run_layer_norm_backward,
           gradient(true));
  add_rows("norm gradients", m, n, "rms_norm_backward", 12, &Rows::run_rms_norm_backward,
           gradient(false));
  add_copy_rival("norm gradients", size_of(m, n), 12.0 * m * n);
}

void add_transposes(int n) {
  const auto add_transpose = [&](const char* name, auto run) {
    add_rows(
        "transpose", n, n, name, 8,
        [=](const Rows& r, cudaStream_t s) { run(r.view(r.in), r.view(r.out), s); },
        [](const Rows& r) { return r.verify_transpose(); });
  };
  add_transpose("transpose_tiled", ch05::transpose_tiled);
  add_transpose("transpose_vectorized", transpose_vectorized);
  add_copy_rival("transpose", size_of(n, n), 8.0 * n * n);
}

const BenchRows rows_of_chapter([] {
  // On a GPU everything is larger than twice its L2 cache.
  constexpr std::size_t SOME = std::size_t{1} << (on_cpu_backend ? 18 : 26);
  add_sums(SOME, true);
  if (!on_cpu_backend) add_sums(std::size_t{1} << 30, false);
  add_argmax(SOME);
  add_histograms(SOME);
  constexpr int ELEMENTS = on_cpu_backend ? 1 << 18 : 1 << 27;
  for (const int cols : {1024, 4096, 16384}) {
    add_softmax(ELEMENTS / cols, cols);
    add_norms(ELEMENTS / cols, cols);
  }
  add_transposes(on_cpu_backend ? 512 : 16384);
});

}  // namespace
}  // namespace tut::ch08
