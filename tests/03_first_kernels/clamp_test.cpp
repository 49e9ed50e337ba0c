#include "03_first_kernels/clamp.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tut/budget.hpp"
#include "tut/random.hpp"
#include "vector_case.hpp"

namespace tut::ch03 {
namespace {

constexpr float lowest = -0.5f, highest = 0.25f;

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
      {.most_launches = 1}, text,
      [&](cudaStream_t stream, MatrixView<float> xv) { clamp(xv.data, n, lo, hi, blocks, stream); },
      x);
  return run.ok ? exactly(before, x, expected, "x", text) : run;
}

std::vector<float> random_values(int n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  fill_uniform(values, 6);
  return values;
}

}  // namespace

TEST_CASE("clamp reaches every element, whatever the grid") {
  for (const int n : {1, 255, 256, 257, 5003, 100003}) {
    for (const int blocks : {1, 3, 500})
      expect(clamp_outcome(random_values(n), blocks, lowest, highest));
  }
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
  const Stream stream;
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  CHECK_NOTHROW(clamp(nullptr, 0, lowest, highest, 1, stream.get()));
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream.get(), &graph));
  std::size_t launches = 0;
  check(cudaGraphGetNodes(graph, nullptr, &launches));
  expect(launches == 0 ? Outcome{} : failure("values", "clamp of no elements launched a kernel"));
  check(cudaGraphDestroy(graph));
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
             : failure("values", "NaN, inf, -inf became " + std::to_string(result[0]) + ", " +
                                     std::to_string(result[1]) + ", " + std::to_string(result[2]) +
                                     "; expected nan, 0.25, -0.5"));
}

TEST_CASE("clamp refuses what makes no sense") {
  CHECK_THROWS_AS(clamp(nullptr, -1, lowest, highest, 1), std::invalid_argument);
  CHECK_THROWS_AS(clamp(nullptr, 1, highest, lowest, 1), std::invalid_argument);
  CHECK_THROWS_AS(clamp(nullptr, 1, lowest, highest, 0), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int N = 8192;
  expect_budget("clamp", 8.0 * N,
                [] { return clamp_outcome(random_values(N), 8, lowest, highest); });
}

}  // namespace tut::ch03
