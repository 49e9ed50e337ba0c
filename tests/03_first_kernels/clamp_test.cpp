#include "03_first_kernels/clamp.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "simt/inspect/check/interface.hpp"
#include "simt/runtime/interface.hpp"
#include "tut/budget/budget.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_case.hpp"

namespace tut::ch03 {
namespace {

constexpr float lowest = -0.5f, highest = 0.25f;

LaunchShape launch_of(int blocks) { return {static_cast<unsigned>(blocks), 256}; }

Outcome clamp_outcome(std::vector<float> values, int blocks, float lo, float hi,
                      std::size_t guard = kGuard) {
  const auto n = static_cast<int>(values.size());
  std::vector<float> expected = values;
  for (float& value : expected) value = std::min(std::max(value, lo), hi);
  Guarded<float> x = make_vector(values, guard);
  x.surround(2.0f);  // clamp would leave NaN there alone
  const Guarded<float> before = x;
  const std::string text = "n = " + std::to_string(n) + ", " + std::to_string(blocks) + " blocks";

  Outcome run = run_on_device(
      {.most_launches = 1, .launch = launch_of(blocks)}, text,
      [&](cudaStream_t stream, MatrixView<float> xv) { clamp(xv.data, n, lo, hi, blocks, stream); },
      x);
  return run.ok ? exactly(before, x, expected, "x", text) : run;
}

std::vector<float> random_values(int n) { return mixed_values(n, 6, {lowest, highest}); }

// Only the ends of the grid are run, where check mode looks on: of `n` values some are moved, the
// first or the last among them, and no element has two threads.
Outcome ends_outcome(std::int64_t n, int blocks) {
  const LongBuffer<float> x(static_cast<std::size_t>(n));
  constexpr float lo = 1.0f, hi = 2.0f;  // the memory is zeros
  const std::string text = "n = " + std::to_string(n) + ", " + std::to_string(blocks) +
                           " blocks, of which only the ends are run";
  const int findings = simt_check_findings();
  float first = 0, last = 0;
  const Outcome run = outcome_of_call(text, [&] {
    const EndsOnly ends;
    run_to_end([&](cudaStream_t stream) { clamp(x.data(), n, lo, hi, blocks, stream); });
    check(cudaMemcpy(&first, x.data(), sizeof first, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(&last, x.data() + n - 1, sizeof last, cudaMemcpyDeviceToHost));
  });
  if (!run.ok) return run;
  if (simt_check_findings() > findings) {
    return failure("race", "two threads use one element, or one uses memory outside of x (" + text +
                               "): are the number of a thread and the way to its next element "
                               "computed in 64 bits?");
  }
  if (first == lo || last == lo) return {};
  return failure("overflow", "neither x[0], " + std::to_string(first) + ", nor x[n - 1], " +
                                 std::to_string(last) + ", is moved; expected " +
                                 std::to_string(lo) + " (" + text +
                                 "): are elements counted in 64 bits?");
}

}  // namespace

TEST_CASE("clamp reaches every element, whatever the grid") {
  for (const int n : {5003, 257, 256, 255, 1, 100003}) {
    for (const int blocks : {1, 3, 500})
      expect(clamp_outcome(random_values(n), blocks, lowest, highest));
  }
}

TEST_CASE("clamp takes as many blocks as there may be") {
  constexpr int MOST = std::numeric_limits<int>::max();
  const LongBuffer<float> x(1);
  expect(outcome_of_call("n = 1, 2147483647 blocks", [&] {
    const RecordedCall recorded(
        [&](cudaStream_t stream) { clamp(x.data(), 1, lowest, highest, MOST, stream); });
    const auto& launches = recorded.launches();
    if (launches.size() == 1 && launches[0].grid.x == launch_of(MOST).grid.x) return;
    throw CallFailure("launch", "clamp launches another grid than it is told to");
  }));
}

TEST_CASE("clamp counts threads and elements in 64 bits") {
  // Numbers of 32 bits that overflow may let a thread go round for ever: of 2^24 blocks the stride
  // becomes 0. With one block more it becomes 256, and threads of two blocks use the same elements:
  // check mode tells, and only where it does are more elements tried than 32 bits count, also by
  // four.
  if (simt_check_findings == nullptr || simt_run_ends == nullptr || has_failed()) return;
  Outcome outcome = ends_outcome(512, (1 << 24) + 1);
  if (outcome.ok) outcome = ends_outcome(std::int64_t{1} << 34, (1 << 24) + (1 << 23));
  expect(outcome);
}

TEST_CASE("clamp takes a range of one value") {
  expect(clamp_outcome(random_values(1000), 2, lowest, lowest));
}

TEST_CASE("clamp takes a vector that begins anywhere") {
  expect(clamp_outcome(random_values(4096), 2, lowest, highest, kOddGuard));
}

TEST_CASE("clamp keeps what is in the range, however large or small") {
  const float infinity = std::numeric_limits<float>::infinity();
  const float largest = std::numeric_limits<float>::max();
  const float least = std::numeric_limits<float>::denorm_min();
  const std::vector<float> values = {largest, -largest, 1e30f, -1e30f, least, 70000.0f, 0.0f, 2.0f};
  expect(clamp_outcome(values, 1, -infinity, infinity));
  expect(clamp_outcome(values, 1, least, 1e30f));
  expect(clamp_outcome(values, 1, -infinity, -70000.0f));
}

TEST_CASE("clamp launches nothing for no elements") {
  expect(launches_nothing(
      "n = 0", [](cudaStream_t stream) { clamp(nullptr, 0, lowest, highest, 1, stream); }));
}

TEST_CASE("clamp leaves NaN alone and takes infinities to the limits") {
  const float infinity = std::numeric_limits<float>::infinity();
  Guarded<float> x = make_vector({std::numeric_limits<float>::quiet_NaN(), infinity, -infinity});
  expect(run_on_device(
      "NaN and infinities",
      [](cudaStream_t stream, MatrixView<float> xv) {
        clamp(xv.data, 3, lowest, highest, 1, stream);
      },
      x));
  const float* result = x.cview().data;
  expect(std::isnan(result[0]) && result[1] == highest && result[2] == lowest
             ? Outcome{}
             : failure("values", "NaN, inf, -inf became " + value_text(result[0]) + ", " +
                                     value_text(result[1]) + ", " + value_text(result[2]) +
                                     "; expected NaN, 0.25, -0.5"));
}

TEST_CASE("clamp refuses what makes no sense") {
  CAPTURE(lowest);
  CAPTURE(highest);
  CHECK_THROWS_AS(clamp(nullptr, -1, lowest, highest, 1), std::invalid_argument);
  for (const int n : {0, 1}) {
    CAPTURE(n);
    CHECK_THROWS_AS(clamp(nullptr, n, highest, lowest, 1), std::invalid_argument);
    CHECK_THROWS_AS(clamp(nullptr, n, lowest, highest, 0), std::invalid_argument);
    CHECK_THROWS_AS(clamp(nullptr, n, lowest, highest, -1), std::invalid_argument);
  }
}

TEST_CASE("budget") {
  constexpr int N = 8192;
  expect_budget("clamp", 8.0 * N,
                [] { return clamp_outcome(random_values(N), 8, lowest, highest); });
  constexpr int kOdd = N + 5;
  expect_bytes(
      8.0 * kOdd, [] { return clamp_outcome(random_values(kOdd), 8, lowest, highest); }, 2.1);
  for (const int n : {1, 3, 258, 1025}) {
    expect_single_stores([n] { return clamp_outcome(random_values(n), 2, lowest, highest); });
  }
}

}  // namespace tut::ch03
