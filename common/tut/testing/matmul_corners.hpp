/// \file
/// Cases that the battery of matmuls (matmul_battery.hpp) does not have: long matrices, matrices at
/// any address, and values that are not numbers.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tut/testing/matmul_battery.hpp"

namespace tut {

struct MatmulCorners {
  /// Long and thin, so that they are cheap: more tiles than a few blocks have at once, more
  /// products than one tile of k.
  std::vector<MatmulShape> long_shapes = {{1, 2200, 2}, {2200, 1, 2}, {2, 3, 4200}};
  /// Multiples of every tile: what is left that keeps a row from being read as float4 is only where
  /// it begins.
  MatmulShape even_shape = {64, 64, 64};
  /// No multiples of a tile; at least 3 x 3, with 2 of k.
  MatmulShape odd_shape = {35, 37, 39};
  /// Of square matrices: more than one tile of 32, and the last is short.
  int short_of_tiles = 40;
};

namespace detail {

inline HostMatrix<float> corner_input(int rows, int cols, int part) {
  return matmul_input(rows, cols, MatmulInputs::random, part, 0, 17);
}

/// Runs and judges A B on dense matrices in memory that fits to the byte.
inline Outcome dense_outcome(const MatmulRun<float, float>& run, const HostMatrix<float>& a,
                             const HostMatrix<float>& b, const std::string& text) {
  const int m = a.rows(), k = a.cols(), n = b.cols();
  MatmulImages<float, float> images{Guarded<float>(m, k, k, 0), Guarded<float>(k, n, n, 0),
                                    Guarded<float>(m, n, n, 0)};
  images.a.set(a);
  images.b.set(b);
  return run_and_judge(run, std::move(images), {}, text);
}

/// A is all numbers but for an infinity at its end, a NaN in its first row, and a number that
/// half cannot hold; B has an infinity at the end of its first row. Zeros meet both infinities, one
/// by one and by the row.
inline Outcome special_values_outcome(const MatmulRun<float, float>& run,
                                      const MatmulShape& shape) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto [m, n, k] = shape;
  HostMatrix<float> a = corner_input(m, k, 0), b = corner_input(k, n, 1);
  a(0, k / 2) = std::numeric_limits<float>::quiet_NaN();
  a(1, 0) = 0;
  a(2, 1) = 1e30f;
  a(m - 1, k - 1) = kInfinity;
  b(k - 1, 0) = 0;
  for (int i = 0; m > 4 && i < k; ++i) a(3, i) = 0;
  for (int i = 0; n > 4 && i < k; ++i) b(i, 2) = 0;
  b(0, n - 1) = -kInfinity;
  if (n > 4) b(k - 1, 3) = kInfinity;
  return dense_outcome(run, a, b,
                       "shape " + shape_text(shape) + ", infinities, NaN, 1e30 and 0 among others");
}

/// One of the matrices is all zeros: a kernel that skips tiles of zeros misses the NaN that their
/// products with an infinity in the other one give.
inline Outcome zeros_outcome(const MatmulRun<float, float>& run, const MatmulShape& shape) {
  const auto [m, n, k] = shape;
  HostMatrix<float> a = corner_input(m, k, 0), b = corner_input(k, n, 1), zero_a(m, k),
                    zero_b(k, n);
  zero_a.fill(0);
  zero_b.fill(0);
  a(m / 2, k / 2) = b(k / 2, n / 2) = std::numeric_limits<float>::infinity();
  const std::string text = "shape " + shape_text(shape);
  Outcome outcome = dense_outcome(run, zero_a, b, text + ", A all 0, an infinity in B");
  if (!outcome.ok) return outcome;
  return dense_outcome(run, a, zero_b, text + ", B all 0, an infinity in A");
}

/// One factor is all 1, and so is the other but for an infinity at each place of k, in each column
/// of B and then in each row of A: all of C is infinite. What a tile holds beside its part of the
/// matrix, be it of the tile before, shows as NaN.
inline Outcome infinite_diagonals_outcome(const MatmulRun<float, float>& run, int size) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  HostMatrix<float> a(size, size), b(size, size), ones(size, size);
  for (HostMatrix<float>* matrix : {&a, &b, &ones}) matrix->fill(1);
  for (int i = 0; i < size; ++i) a(i, i) = b(i, i) = kInfinity;
  const std::string text = "shape " + shape_text({size, size, size}) + ", all 1 but ";
  Outcome outcome = dense_outcome(run, ones, b, text + "an infinity in each column of B");
  if (!outcome.ok) return outcome;
  return dense_outcome(run, a, ones, text + "an infinity in each row of A");
}

/// Factors around 2^-70, whose products float holds as subnormal numbers.
inline Outcome tiny_values_outcome(const MatmulRun<float, float>& run, const MatmulShape& shape) {
  const auto [m, n, k] = shape;
  constexpr float kTiny = 0x1p-70F;
  HostMatrix<float> a = matmul_input(m, k, MatmulInputs::small_integers, 0, 9, 17),
                    b = matmul_input(k, n, MatmulInputs::small_integers, 1, 9, 17);
  for (HostMatrix<float>* matrix : {&a, &b}) {
    for (float& value : matrix->span()) value *= kTiny;
  }
  return dense_outcome(run, a, b, "shape " + shape_text(shape) + ", factors around 2^-70");
}

/// Dense matrices that begin 4, 8 and 12 bytes behind a multiple of 16.
inline Outcome odd_addresses_outcome(const MatmulRun<float, float>& run, const MatmulShape& shape) {
  const auto [m, n, k] = shape;
  MatmulImages<float, float> images{Guarded<float>(m, k, k, 1), Guarded<float>(k, n, n, 2),
                                    Guarded<float>(m, n, n, 3)};
  images.a.set(corner_input(m, k, 0));
  images.b.set(corner_input(k, n, 1));
  return run_and_judge(run, std::move(images), {},
                       "shape " + shape_text(shape) +
                           ", A, B and C begin at addresses that are no multiples of 16 bytes");
}

}  // namespace detail

/// Long shapes, matrices at any address, tiny values, values that are no numbers: infinities and
/// NaN reach the elements of C whose sums they are part of, and no other.
inline Outcome matmul_corners_outcome(const MatmulRun<float, float>& run,
                                      const MatmulCorners& corners = {}) {
  Outcome outcome = detail::special_values_outcome(run, corners.odd_shape);
  if (outcome.ok) outcome = detail::zeros_outcome(run, corners.even_shape);
  if (outcome.ok) outcome = detail::odd_addresses_outcome(run, corners.even_shape);
  if (outcome.ok) outcome = detail::tiny_values_outcome(run, corners.odd_shape);
  for (const MatmulShape& shape : corners.long_shapes) {
    if (!outcome.ok) break;
    outcome = detail::run_case<float, float>(run, shape, MatmulInputs::dense_random, {});
  }
  if (outcome.ok) outcome = detail::infinite_diagonals_outcome(run, corners.short_of_tiles);
  return outcome;
}

}  // namespace tut
