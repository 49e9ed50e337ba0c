/// \file
/// How the products of this chapter's exercises are tried beyond the battery of matmul_test.hpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "../far_tiles.hpp"
#include "../matmul_budget.hpp"
#include "../matmul_reach.hpp"
#include "tut/bench/counting.hpp"
#include "tut/numeric/random.hpp"
#include "tut/testing/matmul_corners.hpp"
#include "tut/testing/matmul_test.hpp"

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

/// The image of a matrix transposed. `multiple`: of its stride. Off a multiple of 16 bytes if the
/// image is.
inline Guarded<float> transposed_image(const Guarded<float>& matrix, int multiple) {
  const std::size_t before = static_cast<std::size_t>(matrix.cview().data - matrix.memory().data());
  const bool dense = before == 0;  // or with rows that are longer, nothing around them
  const std::int64_t stride = dense ? matrix.rows() + matrix.stride() - matrix.cols()
                                    : round_up(matrix.rows() + 1, multiple);
  Guarded<float> result(matrix.cols(), matrix.rows(), stride, dense ? 0 : 4096 + before % 4);
  for (int r = 0; r < matrix.rows(); ++r) {
    for (int c = 0; c < matrix.cols(); ++c) result.view()(c, r) = matrix.cview()(r, c);
  }
  return result;
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

/// How many words of shared memory the threads may read, in units of the products that they form.
struct WordsOfProducts {
  double least, most;
};
/// Of threads with 8 elements of a row: 9 words for 8 products. With 4 there would be 5 for 4, with
/// 16 there would be 17 for 16.
inline constexpr WordsOfProducts kEightOfARow{1.09, 1.18};
/// Of threads with 4 x 4 elements, 8 words for 16 products, or with more. With 4 x 2 there would be
/// 6 for 8.
inline constexpr WordsOfProducts kFourByFour{0, 0.56};

/// Fails if a trial, counted, reads more or fewer words of shared memory than that.
inline void expect_words(const MatmulShape& shape, const WordsOfProducts& words,
                         const std::function<Outcome()>& trial,
                         const SourceLocation& where = SourceLocation::current()) {
  if (!can_count() || has_failed()) return;
  const CountingTrial counting;
  if (const Outcome outcome = trial(); !outcome.ok) return expect(outcome, where);
  const TrafficCounts total = counting.counters().total();
  const auto bytes = total[static_cast<std::size_t>(Traffic::shared_load)].bytes;
  const double products = 1.0 * shape.m * shape.n * shape.k;
  const double of_each = static_cast<double>(bytes) / 4 / products;
  if (of_each >= words.least && of_each <= words.most) return;
  const auto text = [](double value) { return std::to_string(value).substr(0, 4); };
  const std::string expected = words.least > 0 ? text(words.least) + " to " + text(words.most)
                                               : text(words.most) + " at most";
  expect(failure("budget", "for each product a thread reads " + text(of_each) +
                               " words of shared memory on average; expected " + expected +
                               ": does each thread compute as many elements of C, in rows and in "
                               "columns, as the contract says, and keep what it reads for all of "
                               "their products?"),
         where);
}

/// C larger than a test can run: `run` is tried where a grid has stopped growing.
inline void test_reach(const DeviceMatmul<float, float>& matmul, const Run& run,
                       const SourceLocation& where = SourceLocation::current()) {
  expect(matmul_reach_outcome(matmul, 17001,
                              [&](const MatmulShape& shape) {
                                return detail::run_case(run, shape, MatmulInputs::dense_random, {});
                              }),
         where);
  expect(many_tiles_outcome(matmul), where);
}

}  // namespace tut::ch07
