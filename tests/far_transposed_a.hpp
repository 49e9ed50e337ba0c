/// \file
/// Products AᵀB of matrices whose rows are far apart.
#pragma once

#include <cstdint>
#include <string>

#include "tut/numeric/random.hpp"
#include "tut/testing/matmul_test.hpp"
#include "tut/trial/far_case.hpp"

namespace tut {

/// `function` gets A as it lies in memory, (K, M). Rows of A, B or C in turn lie so far apart that
/// offsets are beyond 32 bits: a few rows, more than two tiles of them (far_rows_outcome), or whole
/// tiles.
inline Outcome far_transposed_a_outcome(const DeviceMatmul<float, float>& function) {
  const auto outcome_of = [&](char far, std::int64_t far_stride) -> Outcome {
    const bool whole = far_stride == kFarWholeStride;
    const int few = whole ? 64 : 5, many = whole                          ? kFarWholeRows
                                           : far_stride == kFarTileStride ? kFarRows
                                                                          : few;
    const int m = far == 'C' ? many : few, k = far != 'C' ? many : few, n = whole ? 64 : 40;
    const auto stride = [=](char name, int cols) { return name == far ? far_stride : cols; };
    SparseMatrix<float> a(k, m, stride('A', m)), b(k, n, stride('B', n)), c(m, n, stride('C', n));
    if (!a.is_there() || !b.is_there() || !c.is_there()) return {};
    HostMatrix<float> host_a(k, m), host_b(k, n);
    fill_small_integers(host_a, 31, 5);
    fill_small_integers(host_b, 32, 5);
    a.upload(host_a);
    b.upload(host_b);
    c.upload(HostMatrix<float>(m, n));
    const std::string text = std::string("rows of ") + far + " are " + far_text(stride(far, 0));
    Outcome run = run_far(
        text, [&](cudaStream_t stream) { function(a.cview(), b.cview(), c.view(), stream); });
    if (!run.ok) return run;
    const MatmulReference reference =
        matmul_reference(make_matrix<double>(m, k, [&](int r, int i) { return host_a(i, r); }),
                         to_double_matrix(host_b.cview()));
    const auto exact = make_matrix<double>(m, n, [](int, int) { return 0.0; });
    return compare(c.download().cview(), reference.product, exact,
                   {.name = "C", .shape = text, .stride = c.cview().stride, .pattern = {}});
  };
  for (const std::int64_t far_stride : {kFarStride, kFarTileStride, kFarWholeStride}) {
    for (const char far : {'A', 'B', 'C'}) {
      Outcome outcome = outcome_of(far, far_stride);
      if (!outcome.ok) return outcome;
    }
  }
  return {};
}

}  // namespace tut
