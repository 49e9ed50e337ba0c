#pragma once

#include <doctest/doctest.h>

#include <string>

#include "tut/matrix/device_matrix.hpp"
#include "tut/testing/matmul_test.hpp"

namespace tut::ch07 {

using Matmul = void (*)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>,
                        cudaStream_t);

/// Multiplies views that begin one element after a multiple of 16 bytes, though rows are multiples
/// of 16 bytes apart: no access of 16 bytes may be made. `which`: bit 0 for A, 1 for B, 2 for C.
inline Outcome shifted_outcome(Matmul matmul, const MatmulShape& shape, unsigned which) {
  const auto memory = [](int rows, int cols, std::uint64_t seed) {
    HostMatrix<float> matrix(rows, cols + 4, round_up(cols + 4, 4));
    if (seed > 0) fill_uniform(matrix, seed);
    return matrix;
  };
  const HostMatrix<float> host_a = memory(shape.m, shape.k, 31);
  const HostMatrix<float> host_b = memory(shape.k, shape.n, 32);
  HostMatrix<float> host_c = memory(shape.m, shape.n, 0);
  const int a0 = which & 1U ? 1 : 0, b0 = which & 2U ? 1 : 0, c0 = which & 4U ? 1 : 0;
  const DeviceMatrix<float> a(host_a), b(host_b);
  DeviceMatrix<float> c(host_c);
  run_to_end([&](cudaStream_t stream) {
    matmul(a.cview().block(0, a0, shape.m, shape.k), b.cview().block(0, b0, shape.k, shape.n),
           c.view().block(0, c0, shape.m, shape.n), stream);
  });
  c.download(host_c);

  const MatmulReference reference =
      matmul_reference(to_double_matrix(host_a.cview().block(0, a0, shape.m, shape.k)),
                       to_double_matrix(host_b.cview().block(0, b0, shape.k, shape.n)));
  const std::string text = shape_text(shape) +
                           ", views one element past 16 bytes: " + (a0 ? "A " : "") +
                           (b0 ? "B " : "") + (c0 ? "C" : "");
  return compare(host_c.cview().block(0, c0, shape.m, shape.n), reference.product,
                 matmul_bound(reference, {}), {.name = "C", .shape = text, .pattern = {}});
}

/// The whole battery with strides of all kinds, again with rows that begin at multiples of 16
/// bytes, and on shifted views of whole tiles.
inline void test_step(Matmul matmul, const MatmulTestOptions& options,
                      const SourceLocation& where = SourceLocation::current()) {
  test_matmul(matmul, options, where);
  MatmulTestOptions aligned = options;
  aligned.stride_multiple = 4;
  test_matmul(matmul, aligned, where);
  for (unsigned which = 0; which < 8; ++which) {
    expect(shifted_outcome(matmul, options.shapes.front(), which), where);
  }
}

}  // namespace tut::ch07
