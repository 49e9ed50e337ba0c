#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "tut/errors/source_location.hpp"
#include "tut/testing/host_matmul_test.hpp"
#include "tut/trial/device_trial.hpp"
#include "tut/trial/far_case.hpp"

namespace tut {

template <class T, class U>
using DeviceMatmul =
    std::function<void(MatrixView<const T>, MatrixView<const T>, MatrixView<U>, cudaStream_t)>;

/// Runs `call(stream, views...)` on device copies of the images, as run_on_images does; if their
/// shapes do not fit, once and plainly, and leaves in the images what the memory then holds even
/// where it throws.
template <class Call, class... T>
void run_if_fits(bool fits, const CallRules& rules, const Call& call, Guarded<T>&... images) {
  if (fits) return run_on_images(rules, call, images...);
  const detail::DeviceImages<T...> memory(images...);
  const auto fetch = [&] {
    check(cudaDeviceSynchronize());
    memory.download(images...);
  };
  try {
    run_to_end([&](cudaStream_t stream) { memory.run(call, stream); });
  } catch (const std::invalid_argument&) {
    fetch();
    throw;
  }
  fetch();
}

namespace detail {

/// Runs a matmul on small integers, whose product must be exact, while the rows of `far`, which is
/// 'A', 'B' or 'C', are so many elements apart. Passes where there is no such memory.
template <class T, class U>
Outcome far_matrix_outcome(const DeviceMatmul<T, U>& function, const MatmulTestOptions& options,
                           const MatmulShape& shape, char far, std::int64_t far_stride) {
  const auto [m, n, k] = shape;
  const InputPlan plan = plan_inputs<T, U>(shape, MatmulInputs::small_integers);
  if (plan.limit == 0) return {};
  const auto input = [&](int rows, int cols, int part) {
    return rounded<T>(matmul_input(rows, cols, plan.values, part, plan.limit, options.seed));
  };
  const auto stride = [&](char name, int cols) -> std::int64_t {
    return name == far ? far_stride : round_up(cols, options.stride_multiple);
  };
  SparseMatrix<T> a(m, k, stride('A', k)), b(k, n, stride('B', n));
  SparseMatrix<U> c(m, n, stride('C', n));
  if (!a.is_there() || !b.is_there() || !c.is_there()) return {};
  const HostMatrix<T> host_a = input(m, k, 0), host_b = input(k, n, 1);
  a.upload(host_a);
  b.upload(host_b);
  c.upload(make_matrix<U>(m, n, [](int, int) { return unwritten_value<U>(); }));
  const std::string text = case_text(shape, MatmulInputs::small_integers, a.view().stride,
                                     b.view().stride, c.view().stride);
  Outcome outcome =
      run_far(text, [&](cudaStream_t stream) { function(a.cview(), b.cview(), c.view(), stream); });
  if (!outcome.ok) return outcome;
  const MatmulReference reference =
      matmul_reference(to_double_matrix(host_a.cview()), to_double_matrix(host_b.cview()));
  const auto exact = make_matrix<double>(m, n, [](int, int) { return 0.0; });
  return compare(c.download().cview(), reference.product, exact,
                 {.name = "C", .shape = text, .stride = c.cview().stride, .pattern = {}});
}

}  // namespace detail

/// Runs a matmul on rows that lie far apart, in A, in B, or in C: offsets are beyond 32 bits, with
/// and without a sign. On a few rows that lie so far apart that 32 bits do not hold the stride, and
/// on several tiles of rows, where the tiles, too, begin beyond 32 bits, steps from one to the next
/// are that long, and some tiles are whole. Passes where there is no such memory.
template <class T, class U>
Outcome far_rows_outcome(const DeviceMatmul<T, U>& function, const MatmulTestOptions& options,
                         std::int64_t far_stride = kFarStride) {
  for (const bool tiles : {false, true}) {
    for (const char far : {'A', 'B', 'C'}) {
      constexpr int kFewTiles = 40;
      const int few = tiles ? kFewTiles : 5, many = tiles ? kFarRows : few;
      const int m = far != 'B' ? many : few, k = far == 'B' ? many : few;
      const MatmulShape shape{round_up(m, options.m_multiple),
                              round_up(kFewTiles, options.n_multiple),
                              round_up(k, options.k_multiple)};
      Outcome outcome = detail::far_matrix_outcome(function, options, shape, far,
                                                   tiles ? kFarTileStride : far_stride);
      if (!outcome.ok) return outcome;
    }
  }
  return {};
}

/// Runs a matmul on device memory, C = A B, over the whole battery (run_matmul_battery), and with
/// rows that are far apart.
template <class T, class U>
Outcome matmul_outcome(const DeviceMatmul<T, U>& function, const MatmulTestOptions& options = {},
                       const CallRules& rules = {}) {
  Outcome outcome = run_matmul_battery<T, U>(
      [&](Guarded<T>& a, Guarded<T>& b, Guarded<U>& c) {
        run_if_fits(
            detail::shapes_fit(a, b, c), rules,
            [&](cudaStream_t stream, MatrixView<const T> from_a, MatrixView<const T> from_b,
                MatrixView<U> to) { function(from_a, from_b, to, stream); },
            a, b, c);
      },
      options);
  return outcome.ok ? far_rows_outcome(function, options) : outcome;
}

/// The same, reported through doctest: `test_matmul(ch05::matmul_tiled, {.shapes =
/// matmul_shapes(32)});`.
template <class T, class U>
void test_matmul(void (*function)(MatrixView<const T>, MatrixView<const T>, MatrixView<U>,
                                  cudaStream_t),
                 const MatmulTestOptions& options = {},
                 const SourceLocation& where = SourceLocation::current()) {
  expect(matmul_outcome<T, U>(DeviceMatmul<T, U>(function), options), where);
}

}  // namespace tut
