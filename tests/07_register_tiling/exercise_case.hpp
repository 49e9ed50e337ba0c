/// \file
/// How the products of this chapter's exercises are tried beyond the battery of matmul_test.hpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "../matmul_budget.hpp"
#include "../matmul_reach.hpp"
#include "tut/matmul_corners.hpp"
#include "tut/matmul_test.hpp"
#include "tut/random.hpp"

namespace tut::ch07 {

using Run = MatmulRun<float, float>;
using Images = detail::MatmulImages<float, float>;

/// Images whose rows begin at multiples of 16 bytes; or one element further on. `shifted`: bit 0
/// for A, 1 for B, 2 for C.
inline Images make_images(const HostMatrix<float>& a, const HostMatrix<float>& b,
                          unsigned shifted) {
  const auto image = [&](int rows, int cols, unsigned bit) {
    return Guarded<float>(rows, cols, round_up(cols, 4), (shifted & bit) != 0 ? 4097 : 4096);
  };
  Images images{image(a.rows(), a.cols(), 1), image(b.rows(), b.cols(), 2),
                image(a.rows(), b.cols(), 4)};
  images.a.set(a);
  images.b.set(b);
  return images;
}

/// Products of matrices one element past a multiple of 16 bytes, though rows are multiples of 16
/// bytes apart: of each matrix alone, and of several.
inline Outcome shifted_images_outcome(const Run& run) {
  const auto values = [](int rows, int cols, std::uint64_t seed) {
    HostMatrix<float> matrix(rows, cols);
    fill_uniform(matrix, seed);
    return matrix;
  };
  for (const unsigned shifted : {1u, 2u, 4u, 7u}) {
    Images images = make_images(values(64, 48, 31), values(48, 64, 32), shifted);
    const std::string text = std::string("64x48 * 48x64, one element past 16 bytes: ") +
                             ((shifted & 1u) != 0 ? "A " : "") + ((shifted & 2u) != 0 ? "B " : "") +
                             ((shifted & 4u) != 0 ? "C" : "");
    Outcome outcome = detail::run_and_judge(run, std::move(images), {}, text);
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// A long K, and C of `length` rows or columns.
inline Outcome shapes_outcome_of_length(int length, const Run& run) {
  for (const MatmulShape& shape :
       {MatmulShape{3, 5, 4099}, MatmulShape{length, 3, 2}, MatmulShape{3, length, 2}}) {
    Outcome outcome = detail::run_case(run, shape, MatmulInputs::dense_random, {});
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// A long K, and C with more tiles than small grids have blocks, in either direction.
inline Outcome long_shapes_outcome(const Run& run) { return shapes_outcome_of_length(17001, run); }

/// Small integers, a quarter of them 0, and all of row and column 7; with infinities at (1, 3)
/// and at the ends of row 2 and column 5, a NaN at (4, 2).
inline HostMatrix<float> unusual_values(int rows, int cols, std::uint64_t seed) {
  HostMatrix<float> values(rows, cols);
  fill_small_integers(values, seed, 2);
  for (int c = 0; c < cols; ++c) values(7, c) = 0;
  for (int r = 0; r < rows; ++r) values(r, 7) = 0;
  values(1, 3) = values(2, cols - 1) = values(rows - 1, 5) = std::numeric_limits<float>::infinity();
  values(4, 2) = std::nanf("");
  return values;
}

/// Infinities and NaN: each reaches its row of C, or its column, and nothing else.
inline Outcome unusual_outcome(const Run& run) {
  constexpr int M = 66, N = 67, K = 21;
  const HostMatrix<float> a = unusual_values(M, K, 33), b = unusual_values(K, N, 34);
  for (const unsigned shifted : {0u, 7u}) {
    Images images = make_images(a, b, shifted);
    const std::string text =
        "66x21 * 21x67, infinities in rows 1, 2 and 65 of A and in columns 3, 5 and 66 of B, a NaN "
        "in row 4 of A and in column 2 of B";
    Outcome outcome = detail::run_and_judge(run, std::move(images), {0, 0, 0, 0}, text);
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// Whole tiles of zeros that meet an infinity.
inline Outcome zeros_outcome(const Run& run) { return detail::zeros_outcome(run, {64, 128, 96}); }

/// Whole tiles in rows that lie far apart, of one matrix after the other (kFarWholeStride).
inline Outcome far_tiles_outcome(const DeviceMatmul<float, float>& matmul) {
  for (const char far : {'A', 'B', 'C'}) {
    const MatmulShape shape =
        far == 'B' ? MatmulShape{64, 64, kFarWholeRows} : MatmulShape{kFarWholeRows, 64, 32};
    Outcome outcome = detail::far_matrix_outcome(matmul, {}, shape, far, kFarWholeStride);
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// All of these.
inline void test_beyond_the_battery(const Run& run,
                                    const SourceLocation& where = SourceLocation::current()) {
  for (const auto& outcome :
       {shifted_images_outcome, long_shapes_outcome, unusual_outcome, zeros_outcome}) {
    expect(outcome(run), where);
  }
}

/// The function on device copies of the images, as run_on_images says.
template <class Matmul>
Run run_of(Matmul matmul) {
  return [matmul](Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
    run_if_fits(
        detail::shapes_fit(a, b, c), {.most_launches = 1},
        [matmul](cudaStream_t stream, MatrixView<const float> from_a,
                 MatrixView<const float> from_b,
                 MatrixView<float> to) { matmul(from_a, from_b, to, stream); },
        a, b, c);
  };
}

/// C larger than a test can run: `run` is tried where a grid has stopped growing.
inline void test_reach(const DeviceMatmul<float, float>& matmul, const Run& run,
                       const SourceLocation& where = SourceLocation::current()) {
  expect(matmul_reach_outcome(matmul, 17001,
                              [&](const MatmulShape& shape) {
                                return detail::run_case(run, shape, MatmulInputs::dense_random, {});
                              }),
         where);
}

}  // namespace tut::ch07
