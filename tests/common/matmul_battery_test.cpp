#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "outcome_case.hpp"
#include "tut/errors/require.hpp"
#include "tut/testing/host_matmul_test.hpp"

namespace tut {
namespace {

using A = MatrixView<const float>;
using C = MatrixView<float>;

float dot(A a, A b, int r, int c, int start, int stop) {
  float sum = 0;
  for (int k = start; k < stop; ++k) sum += a(r, k) * b(k, c);
  return sum;
}

void honest(A a, A b, C c) {
  require_matmul_shapes(a, b, c);
  for (int r = 0; r < c.rows; ++r) {
    for (int col = 0; col < c.cols; ++col) c(r, col) = dot(a, b, r, col, 0, a.cols);
  }
}

Outcome outcome(const HostMatmul<float, float>& function, const MatmulTestOptions& options = {}) {
  return matmul_outcome<float, float>(function, options);
}

TEST_CASE("an honest product passes, with every type of the host") {
  CHECK(outcome(honest).report == "");
  for (const int tile : {1, 8, 32}) CHECK(outcome(honest, {.shapes = matmul_shapes(tile)}).ok);
  test_matmul(honest);
}

TEST_CASE("integer products must be exact") {
  const auto product = [](int spoil) {
    return
        [=](MatrixView<const signed char> a, MatrixView<const signed char> b, MatrixView<int> c) {
          require_matmul_shapes(a, b, c);
          for (int r = 0; r < c.rows; ++r) {
            for (int col = 0; col < c.cols; ++col) {
              c(r, col) = r == 3 ? spoil : 0;
              for (int k = 0; k < a.cols; ++k) c(r, col) += a(r, k) * b(k, col);
            }
          }
        };
  };
  CHECK(matmul_outcome<signed char, int>(product(0)).ok);
  CHECK_FALSE(matmul_outcome<signed char, int>(product(1)).ok);
}

TEST_CASE("the shapes hold 1, a tile less and plus one, several tiles and primes, and are small") {
  const auto shapes = matmul_shapes(16);
  const auto has = [&](MatmulShape shape) {
    return std::ranges::find(shapes, shape) != shapes.end();
  };
  CHECK(has({1, 1, 1}));
  CHECK(has({15, 15, 15}));
  CHECK(has({16, 16, 16}));
  CHECK(has({17, 17, 17}));
  CHECK(has({37, 19, 19}));
  CHECK(shapes.size() >= 8);
  for (const int tile : {1, 16, 32, 128}) {
    long long products = 0;
    for (const MatmulShape& s : matmul_shapes(tile)) {
      CHECK(std::min({s.m, s.n, s.k}) >= 1);
      products += 1LL * s.m * s.n * s.k;
    }
    CHECK(products <= 26LL * tile * tile * tile + 20000);
  }
}

TEST_CASE("shapes are rounded to what the launcher demands") {
  MatmulTestOptions options{
      .shapes = matmul_shapes(16), .n_multiple = 4, .k_multiple = 8, .stride_multiple = 4};
  const Outcome result = outcome(
      [](A a, A b, C c) {
        require(b.cols % 4 == 0 && a.cols % 8 == 0 && a.stride % 4 == 0 && c.stride % 4 == 0,
                "unaligned");
        honest(a, b, c);
      },
      options);
  CHECK(result.report == "");
}

TEST_CASE("a product of one-hot inputs, of zeros or of ones is not enough") {
  CHECK_FALSE(outcome([](A a, A b, C c) {
                for (int r = 0; r < c.rows; ++r) {
                  for (int col = 0; col < c.cols; ++col) c(r, col) = static_cast<float>(a.cols);
                }
                static_cast<void>(b);
              }).ok);
}

TEST_CASE("wrong products fail, and the report names the pattern") {
  const auto wrong = [](auto value) {
    return [=](A a, A b, C c) {
      require_matmul_shapes(a, b, c);
      for (int r = 0; r < c.rows; ++r) {
        for (int col = 0; col < c.cols; ++col) c(r, col) = value(a, b, r, col);
      }
    };
  };
  const auto one_short =
      outcome(wrong([](A a, A b, int r, int c) { return dot(a, b, r, c, 0, a.cols - 1); }));
  CHECK(mentions(one_short, "k loop is one short: the last term of each sum (k = 15) is missing"));
  const auto tile_left_out =
      outcome(wrong([](A a, A b, int r, int c) { return dot(a, b, r, c, 0, a.cols / 16 * 16); }),
              {.shapes = {{16, 16, 16}, {16, 16, 20}, {16, 16, 36}}});
  CHECK(mentions(tile_left_out, "the last partial tile of k is missing: the terms from k = 16 on"));
  CHECK(mentions(tile_left_out, "right on 1 of 3 shapes; wrong whenever K is no multiple of 16\n"));
  const auto reset = outcome(
      wrong([](A a, A b, int r, int c) { return dot(a, b, r, c, (a.cols - 1) / 16 * 16, a.cols); }),
      {.shapes = {{16, 16, 48}}});
  CHECK(mentions(reset, "only the terms from k = 32 on are in the sums"));
  const auto late =
      outcome(wrong([](A a, A b, int r, int c) { return dot(a, b, r, c, 1, a.cols); }));
  CHECK(mentions(late, "the first term of each sum (k = 0) is missing"));
  // Of sums of eight terms a half might be the end; longer ones show that it is a part of each
  // step.
  const auto half = wrong([](A a, A b, int r, int c) {
    float sum = 0;
    for (int k = 0; k < a.cols; ++k) sum += k % 8 < 4 ? a(r, k) * b(k, c) : 0;
    return sum;
  });
  for (const int k : {8, 16, 24}) {
    CHECK(
        mentions(outcome(half, {.shapes = {{16, 16, k}}}),
                 "the terms k = 4 to 7 of every 8 are missing: is each partial sum added, and each "
                 "step of the k loop taken?"));
  }
  const auto first_half =
      outcome(wrong([](A a, A b, int r, int c) { return dot(a, b, r, c, 0, (a.cols + 1) / 2); }),
              {.shapes = {{16, 16, 8}}});
  CHECK(mentions(first_half, "the k loop ends early: the terms from k = 4 on are not in the sums"));
  const auto a_transposed = outcome(wrong([](A a, A b, int r, int c) {
    float sum = 0;
    for (int k = 0; k < a.cols; ++k) sum += (a.rows == a.cols ? a(k, r) : a(r, k)) * b(k, c);
    return sum;
  }));
  CHECK(mentions(a_transposed, "A is read with rows and columns swapped"));
  const auto b_transposed = outcome(wrong([](A a, A b, int r, int c) {
    float sum = 0;
    for (int k = 0; k < a.cols; ++k) sum += a(r, k) * (b.rows == b.cols ? b(c, k) : b(k, c));
    return sum;
  }));
  CHECK(mentions(b_transposed, "B is read with rows and columns swapped"));
  const auto swapped = outcome(wrong([](A a, A b, int r, int c) {
    const bool square = a.rows == a.cols && b.cols == a.cols;
    return square ? dot(b, a, r, c, 0, a.cols) : dot(a, b, r, c, 0, a.cols);
  }));
  CHECK(mentions(swapped, "the factors are swapped"));
  const auto transposed = outcome(wrong([](A a, A b, int r, int c) {
    return a.rows == b.cols ? dot(a, b, c, r, 0, a.cols) : dot(a, b, r, c, 0, a.cols);
  }));
  CHECK(mentions(transposed, "transposed: row r, column c"));
}

TEST_CASE("twins of the k patterns are not named so") {
  const auto spoiled = outcome([](A a, A b, C c) {
    honest(a, b, c);
    for (int r = 0; r < c.rows; ++r) {
      for (int col = 0; col < c.cols; ++col) {
        c(r, col) = dot(a, b, r, col, 0, a.cols - 1) + (r == c.rows - 1 ? 0.25f : 0.0f);
      }
    }
  });
  CHECK_FALSE(spoiled.ok);
  CHECK_FALSE(mentions(spoiled, "missing"));
  const auto middle = outcome(
      [](A a, A b, C c) {
        honest(a, b, c);
        for (int r = 0; r < c.rows; ++r) {
          for (int col = 0; col < c.cols; ++col) c(r, col) -= a(r, a.cols / 2) * b(a.cols / 2, col);
        }
      },
      {.shapes = {{16, 16, 16}}});
  CHECK_FALSE(middle.ok);
  CHECK_FALSE(mentions(middle, "missing"));
  CHECK_FALSE(mentions(middle, "transposed"));
}

TEST_CASE("adding to an output that nobody set is told apart from writing nothing") {
  const auto adds = outcome([](A a, A b, C c) {
    for (int r = 0; r < c.rows; ++r) {
      for (int col = 0; col < c.cols; ++col) c(r, col) += dot(a, b, r, col, 0, a.cols);
    }
  });
  CHECK(mentions(adds, "added to what C held before"));
  const auto nothing = outcome([](A, A, C) {});
  CHECK(mentions(nothing, "nothing was written at all"));
  CHECK_FALSE(mentions(nothing, "added to"));
}

TEST_CASE("a stride taken for the columns, reads and writes outside, and changed inputs all fail") {
  const auto ignores_stride = outcome([](A a, A b, C c) {
    honest({a.data, a.rows, a.cols, a.cols}, {b.data, b.rows, b.cols, b.cols},
           {c.data, c.rows, c.cols, c.cols});
  });
  CHECK_FALSE(ignores_stride.ok);
  const auto before = outcome([](A a, A b, C c) {
    honest(a, b, c);
    if (c.stride > c.cols) c.data[-1] = 0;
  });
  CHECK(mentions(before, "wrote outside of C at index -1 (it has 16 rows of stride"));
  const auto padding = outcome([](A a, A b, C c) {
    honest(a, b, c);
    if (c.stride > c.cols && c.rows > 3) c.data[3 * c.stride + c.cols] = 0;
  });
  CHECK(mentions(padding, "writes memory past the end of row 3 of C, at column 16 of 16"));
  const auto input = outcome([](A a, A b, C c) {
    honest(a, b, c);
    if (b.cols > 2) const_cast<float*>(b.data)[2] = 0;
  });
  CHECK(mentions(input, "B must not change, and is changed at row 0, column 2"));
  const auto reads_padding = outcome([](A a, A b, C c) {
    honest(a, b, c);
    if (a.stride > a.cols) c(0, 0) += 0 * a(0, a.cols);
  });
  CHECK(mentions(reads_padding, "is NaN"));
}

TEST_CASE("tiny errors where the product must be exact fail") {
  const auto tiny = outcome(
      [](A a, A b, C c) {
        honest(a, b, c);
        c(0, 0) += 0x1p-24f * static_cast<float>(a.cols > 1);
      },
      {.shapes = {{3, 3, 3}}});
  CHECK_FALSE(tiny.ok);
}

TEST_CASE("a kernel that knows no more than tiles fails on the other shapes") {
  const auto whole_tiles = outcome([](A a, A b, C c) {
    require_matmul_shapes(a, b, c);
    for (int r = 0; r < std::max(1, c.rows / 16 * 16); ++r) {
      for (int col = 0; col < c.cols; ++col) c(r, col) = dot(a, b, r, col, 0, a.cols);
    }
  });
  CHECK(mentions(whole_tiles, "was never written"));
  CHECK(mentions(whole_tiles, " shapes; also wrong: "));
}

TEST_CASE("exceptions, launch failures and missing shape checks are told apart") {
  const auto throws = outcome([](A, A, C) { throw std::runtime_error("not yet"); });
  CHECK(mentions(throws, "the function threw \"not yet\""));
  CHECK(throws.kind == "values");
  const auto launch = outcome([](A, A, C) { check(cudaErrorInvalidValue); });
  CHECK(launch.kind == "launch");
  CHECK(launch.report.ends_with("\nkind: launch"));
  const auto unchecked = outcome([](A a, A b, C c) {
    for (int r = 0; r < c.rows; ++r) {
      for (int col = 0; col < c.cols; ++col) c(r, col) = dot(a, b, r, col, 0, a.cols);
    }
  });
  CHECK(mentions(unchecked,
                 "shapes that do not fit must throw std::invalid_argument, and nothing was thrown "
                 "(A 4x5, B 6x7, C 4x7)"));
  CHECK(outcome(honest, {.rejects_wrong_shapes = true}).ok);
}

// Refuses what `fits` does not take, and multiplies whatever is in all of the matrices.
Outcome outcome_of_check(bool (*fits)(A, A, C)) {
  return outcome([fits](A a, A b, C c) {
    require(fits(a, b, c), {"shapes do not fit"});
    const int k = std::min(a.cols, b.rows);
    for (int r = 0; r < std::min(a.rows, c.rows); ++r) {
      for (int col = 0; col < std::min(b.cols, c.cols); ++col) c(r, col) = dot(a, b, r, col, 0, k);
    }
  });
}

TEST_CASE("a size that is only compared in one direction is found, whichever it is") {
  const auto says = [](bool (*fits)(A, A, C), const std::string& shapes) {
    const Outcome found = outcome_of_check(fits);
    CHECK(mentions(found, "nothing was thrown (" + shapes + ")"));
  };
  says([](A a, A b, C c) { return b.rows <= a.cols && a.rows == c.rows && b.cols == c.cols; },
       "A 4x5, B 4x7, C 4x7");
  says([](A a, A b, C c) { return b.rows >= a.cols && a.rows == c.rows && b.cols == c.cols; },
       "A 4x5, B 6x7, C 4x7");
  says([](A a, A b, C c) { return b.rows == a.cols && a.rows <= c.rows && b.cols == c.cols; },
       "A 3x5, B 5x7, C 4x7");
  says([](A a, A b, C c) { return b.rows == a.cols && a.rows >= c.rows && b.cols == c.cols; },
       "A 5x5, B 5x7, C 4x7");
  says([](A a, A b, C c) { return b.rows == a.cols && a.rows == c.rows && b.cols <= c.cols; },
       "A 4x5, B 5x6, C 4x7");
  says([](A a, A b, C c) { return b.rows == a.cols && a.rows == c.rows && b.cols >= c.cols; },
       "A 4x5, B 5x8, C 4x7");
  CHECK(outcome_of_check([](A a, A b, C c) {
          return b.rows == a.cols && a.rows == c.rows && b.cols == c.cols;
        }).ok);
}

TEST_CASE("shapes that are refused after something has been written are found") {
  const Outcome late = outcome([](A a, A b, C c) {
    c(0, 0) = 1;
    honest(a, b, c);
  });
  CHECK(mentions(late, "before anything runs, but C has changed (A 4x5, B 6x7, C 4x7)"));
}

TEST_CASE("a case's text is of what the function gets, if that is a factor's transpose") {
  using detail::text_of_transposed;
  const std::string text =
      "shape 4x5 * 5x6, strides 5, 6, 7; B(2, 3) takes A(1, 4), C must be one row of B";
  CHECK(text_of_transposed(0, 8, text) == text);
  CHECK(text_of_transposed('B', 8, text) ==
        "shape 4x5 * (6x5)^T, strides 5, 8, 7; B(3, 2) takes A(1, 4), C must be one column of B");
  CHECK(text_of_transposed('A', 8, text) ==
        "shape (5x4)^T * 5x6, strides 8, 6, 7; B(2, 3) takes A(4, 1), C must be one row of B");
}

TEST_CASE("failures of a function that gets B transposed speak of that") {
  const auto run_of = [](const HostMatmul<float, float>& function) {
    MatmulRun<float, float> run = host_run<float, float>(function);
    run.transposed = 'B';
    run.transposed_stride = [](const Guarded<float>& b) { return 100 + b.rows(); };
    return run;
  };
  const auto nothing = [](auto a, auto b, auto c) { require_matmul_shapes(a, b, c); };
  const auto wrong = [](auto a, auto b, auto c) {
    honest(a, b, c);
    if (c.rows > 1) c(0, 0) += 1;
  };
  const auto outcome_of = [&](const HostMatmul<float, float>& function) {
    return run_matmul_battery<float, float>(run_of(function), {.shapes = {{3, 5, 4}, {1, 2, 7}}});
  };
  CHECK(mentions(outcome_of(nothing), "(shape 3x4 * (5x4)^T, strides 5, 104, 8; random values)"));
  CHECK(mentions(outcome_of(wrong), "right on 1 of 2 shapes; wrong: this one"));
  const Outcome taken = outcome_of([](auto a, auto b, auto c) {
    if (a.cols == b.rows && b.cols == c.cols && a.rows == c.rows) honest(a, b, c);
  });
  CHECK(mentions(taken, "nothing was thrown (A 4x5, B 7x6, C 4x7)"));
}

TEST_CASE("a sum in half precision fails where its float output is promised") {
  const auto coarse = outcome([](A a, A b, C c) {
    honest(a, b, c);
    for (int r = 0; r < c.rows; ++r) {
      for (int col = 0; col < c.cols; ++col)
        c(r, col) *= 1 + ((r + col) % 2 == 0 ? 0x1p-13f : -0x1p-13f);
    }
  });
  CHECK(mentions(coarse, "less precise"));
}

}  // namespace
}  // namespace tut
