#include "07_register_tiling/matmul_register_row.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "exercise_case.hpp"
#include "tut/bench/counting.hpp"

namespace tut::ch07 {
namespace {

/// The accesses to memory of the thread that has most, for a C of that shape.
std::uint64_t most_accesses(const MatmulShape& shape) {
  const CountingTrial counting;
  const Outcome outcome = longer_rows_outcome(run_of(matmul_register_row), shape, {});
  return outcome.ok ? counting.counters().work.busiest : 0;
}

/// Of a single row of C a thread that has 8 of its elements writes them all, and of a single column
/// one: with 8 elements of a column it is the other way round.
Outcome elements_of_a_row_outcome() {
  if (!can_count()) return {};
  const std::uint64_t of_row = most_accesses({1, 64, 8}), of_column = most_accesses({64, 1, 8});
  if (of_row > of_column) return {};
  return failure("budget", "a thread makes up to " + std::to_string(of_row) +
                               " accesses to memory for a single row of C, and " +
                               std::to_string(of_column) +
                               " for a single column; expected more for the row: 8 elements of a "
                               "row belong to one thread");
}

}  // namespace

TEST_CASE("matmul_register_row computes C = AB") {
  test_matmul(matmul_register_row, {.shapes = matmul_shapes(64, 64, 8)});
}

TEST_CASE("matmul_register_row of odd places, long shapes, infinities and NaN") {
  test_beyond_the_battery(run_of(matmul_register_row));
}

TEST_CASE("matmul_register_row of whole tiles in rows that lie far apart") {
  expect(far_tiles_outcome(matmul_register_row));
}

TEST_CASE("matmul_register_row reaches all of a large C") {
  test_reach(matmul_register_row, run_of(matmul_register_row));
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 128, K = 96;
  expect_product_budget(
      "matmul_register_row", {M, N, K},
      [](const MatmulShape& s) { return s.m * s.n * (s.k / 8.0 + 4); }, 64,
      run_of(matmul_register_row));
  expect(elements_of_a_row_outcome());
  // A shape that taller tiles divide, too.
  expect_words({128, N, K}, kEightOfARow, [] {
    return longer_rows_outcome(run_of(matmul_register_row), {128, N, K}, {});
  });
}

}  // namespace tut::ch07
