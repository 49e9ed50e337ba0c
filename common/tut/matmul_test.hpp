#pragma once

#include <cuda_runtime.h>

#include <functional>

#include "tut/device_trial.hpp"
#include "tut/far_case.hpp"
#include "tut/host_matmul_test.hpp"
#include "tut/source_location.hpp"

namespace tut {

template <class T, class U>
using DeviceMatmul =
    std::function<void(MatrixView<const T>, MatrixView<const T>, MatrixView<U>, cudaStream_t)>;

/// Runs a matmul on a few rows that lie 2^30 elements apart, in A, in B, or in C: offsets are
/// beyond 32 bits, with and without a sign. Passes where there is no such memory.
template <class T, class U>
Outcome far_rows_outcome(const DeviceMatmul<T, U>& function, const MatmulTestOptions& options) {
  const int m = round_up(5, options.m_multiple), n = round_up(40, options.n_multiple),
            k = round_up(5, options.k_multiple);
  const detail::InputPlan plan = detail::plan_inputs<T, U>({m, n, k}, MatmulInputs::small_integers);
  const auto input = [&](int rows, int cols, int part) {
    return detail::rounded<T>(
        detail::matmul_input(rows, cols, plan.values, part, plan.limit, options.seed));
  };
  const HostMatrix<T> host_a = input(m, k, 0), host_b = input(k, n, 1);
  const MatmulReference reference =
      matmul_reference(to_double_matrix(host_a.cview()), to_double_matrix(host_b.cview()));
  for (const char far : {'A', 'B', 'C'}) {
    const auto stride = [&](char name, int cols) -> std::int64_t {
      return name == far ? kFarStride : round_up(cols, options.stride_multiple);
    };
    SparseMatrix<T> a(m, k, stride('A', k)), b(k, n, stride('B', n));
    SparseMatrix<U> c(m, n, stride('C', n));
    if (!a.is_there() || !b.is_there() || !c.is_there()) continue;
    a.upload(host_a);
    b.upload(host_b);
    c.upload(make_matrix<U>(m, n, [](int, int) { return unwritten_value<U>(); }));
    const std::string text = detail::case_text({m, n, k}, MatmulInputs::small_integers,
                                               a.view().stride, b.view().stride, c.view().stride);
    Outcome outcome = run_far(
        text, [&](cudaStream_t stream) { function(a.cview(), b.cview(), c.view(), stream); });
    if (!outcome.ok) return outcome;
    const auto exact = make_matrix<double>(m, n, [](int, int) { return 0.0; });
    outcome = compare(c.download().cview(), reference.product, exact,
                      {.name = "C", .shape = text, .pattern = {}});
    if (!outcome.ok) return outcome;
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
        run_on_images(
            rules,
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
