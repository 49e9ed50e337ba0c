#include <doctest/doctest.h>

#include <stdexcept>

#include "08_reductions/sum_atomic.hpp"
#include "08_reductions/sum_shared.hpp"
#include "08_reductions/sum_vectorized.hpp"
#include "08_reductions/sum_warp.hpp"
#include "reduction_case.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch08 {
namespace {

using Values = std::vector<float>;

/// One way to add up, with the additions that lie between an element and the result, at most.
struct Way {
  std::string name;
  std::function<void(std::span<const float>, std::span<float>, float*, cudaStream_t)> run;
  std::function<std::size_t(std::size_t)> scratch;
  std::function<double(std::size_t)> depth;
  bool same_bits = true;  ///< each time
};

/// A counter that is 0, for all calls of sum_vectorized.
unsigned* counter() {
  static DeviceBuffer<unsigned> finished(std::vector<unsigned>{0});
  return finished.data();
}

std::vector<Way> ways() {
  const auto levels = [](std::size_t size) {
    double depth = 8;
    for (; size > SUM_BLOCK; size = ceil_div(size, SUM_BLOCK)) depth += 8;
    return depth;
  };
  const auto scratch = [](std::size_t size) { return sum_levels_scratch(size); };
  return {
      {"sum_atomic",
       [](std::span<const float> in, std::span<float>, float* out, cudaStream_t stream) {
         sum_atomic(in, out, stream);
       },
       [](std::size_t) { return std::size_t{0}; },
       [](std::size_t size) { return static_cast<double>(size); }, false},
      {"sum_shared", sum_shared, scratch, levels},
      {"sum_warp", sum_warp, scratch, levels},
      {"sum_vectorized",
       [zero = counter()](std::span<const float> in, std::span<float> memory, float* out,
                          cudaStream_t stream) { sum_vectorized(in, memory, zero, out, stream); },
       [](std::size_t size) { return sum_vectorized_scratch(size); },
       [](std::size_t size) { return static_cast<double>(sum_vectorized_depth(size)); }}};
}

/// Adds up by one way, into `got`.
Outcome run(const Way& way, const Values& values, std::size_t guard, float& got) {
  Guarded<float> in = vector_image(values, guard), out = result_image<float>(1);
  const Guarded<float> in_before = in, out_before = out;
  const std::string text = way.name + ", " + std::to_string(values.size()) + " elements";
  const DeviceBuffer<float> memory(way.scratch(values.size()));
  Outcome outcome = run_on_device(
      {.at_once = false}, text,
      [&](cudaStream_t stream, MatrixView<float> from, MatrixView<float> to) {
        way.run(span_of(from), {memory.data(), memory.size()}, to.data, stream);
      },
      in, out);
  got = out.cview()(0, 0);
  if (!outcome.ok) return outcome;
  return first_failure({nothing_changed(in_before, in, "in", text, true),
                        only_inside_changed(out_before, out, "out", text, true)});
}

/// Within the bound of its depth of the sum in double.
Outcome sum_outcome(const Way& way, const Values& values, std::size_t guard, bool exact) {
  float got = 0;
  Outcome outcome = run(way, values, guard, got);
  if (!outcome.ok) return outcome;
  double sum = 0, magnitude = 0;
  for (const float value : values) {
    sum += value;
    magnitude += std::abs(value);
  }
  const double bound = exact ? 0 : 1.01 * way.depth(values.size()) * 0x1p-24 * magnitude;
  if (std::abs(got - sum) <= bound) return {};
  return failure("values", way.name + " of " + std::to_string(values.size()) + " elements is " +
                               value_text(got) + "; expected " + value_text(sum) + " within " +
                               value_text(bound));
}

}  // namespace

TEST_CASE("sums of any numbers are within the bound of their depth") {
  for (const Way& way : ways()) {
    for (const std::size_t size : lengths()) {
      expect(sum_outcome(way, uniform_values(size, 1), 1024, false));
    }
    expect(sum_outcome(way, uniform_values(65537, 2, 0, 1), 1025, false));
  }
}

TEST_CASE("sums of small integers are exact, also at odd places in memory") {
  for (const Way& way : ways()) {
    for (const std::size_t size : {std::size_t{4097}, std::size_t{65543}, std::size_t{262147}}) {
      for (const std::size_t guard : {1024, 1025, 1026, 1027}) {
        expect(sum_outcome(way, small_integers(size, 3, 30), guard, true));
      }
    }
  }
}

TEST_CASE("every element is in the sum once") {
  for (const Way& way : ways()) {
    for (const std::size_t place : {0, 1, 255, 256, 4095, 4096, 8191, 8999}) {
      Values values(9000, 0.0f);
      values[place] = -8.0f;
      expect(sum_outcome(way, values, 1024, true));
    }
  }
}

TEST_CASE("the sum of nothing is 0") {
  for (const Way& way : ways()) {
    const DeviceBuffer<float> out(Values{7.0f});
    const DeviceBuffer<float> memory(way.scratch(0));
    way.run({}, {memory.data(), memory.size()}, out.data(), nullptr);
    CHECK(out.to_host()[0] == 0.0f);
  }
}

TEST_CASE("a NaN and an infinity are in the sum") {
  for (const Way& way : ways()) {
    for (const float strange : {INF, -INF, NOT_A_NUMBER}) {
      Values values = uniform_values(5000, 4);
      values[4321] = strange;
      float got = 0;
      expect(run(way, values, 1024, got));
      INFO(way.name << ": the sum of 5000 elements" << strange_text(values) << " is " << got);
      CHECK((std::isnan(strange) ? std::isnan(got) : got == strange));
    }
  }
}

TEST_CASE("sums in a fixed order have the same bits each time, and in any place in memory") {
  const Values values = uniform_values(99991, 5);
  for (const Way& way : ways()) {
    if (!way.same_bits) continue;
    float first = 0, again = 0;
    expect(run(way, values, 1024, first));
    for (const std::size_t guard : {1024, 1025, 1027}) {
      expect(run(way, values, guard, again));
      CHECK(bits_of(first) == bits_of(again));
    }
  }
}

TEST_CASE("the bound of a sum tells a tree from a row of additions") {
  const Values values(std::size_t{1} << 20, 0.1f);
  float in_a_row = 0;
  double sum = 0;
  for (const float value : values) {
    in_a_row += value;
    sum += value;
  }
  const double depth = static_cast<double>(sum_vectorized_depth(values.size()));
  CHECK(std::abs(in_a_row - sum) > 1.01 * depth * 0x1p-24 * sum);
  expect(sum_outcome(ways().back(), values, 1024, false));
}

TEST_CASE("sizes of scratch memory, and how deep a sum is") {
  static_assert(sum_levels_scratch(256) == 0 && sum_levels_scratch(257) == 2);
  static_assert(sum_levels_scratch(65537) == 257 + 2);
  static_assert(stretches(0) == 1 && stretches(4096) == 1 && stretches(4097) == 2);
  constexpr std::size_t BILLION = std::size_t{1} << 30;
  static_assert(stretches(BILLION) == 2048 && stretch_length(BILLION) == 524288);
  static_assert(stretches(8 * BILLION + 1) <= MAX_STRETCHES);
  static_assert(sum_vectorized_depth(BILLION) == 554);
  const DeviceBuffer<float> in(1000), out(1), scratch(3);
  const std::span<const float> span{in.data(), in.size()};
  CHECK_THROWS_AS(sum_shared(span, {scratch.data(), 3}, out.data()), std::invalid_argument);
  CHECK_THROWS_AS(sum_warp(span, {}, out.data()), std::invalid_argument);
  CHECK_THROWS_AS(sum_vectorized(span, {}, counter(), out.data()), std::invalid_argument);
  CHECK_THROWS_AS(sum_vectorized(span, {scratch.data(), 1}, nullptr, out.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(sum_atomic(span, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(sum_atomic({static_cast<const float*>(nullptr), 5}, out.data()),
                  std::invalid_argument);
}

TEST_SUITE("long") {
  TEST_CASE("a stretch of more than a tile") {
    const std::size_t size = MAX_STRETCHES * STRETCH_TILE + 4099;
    REQUIRE(stretch_length(size) == 2 * STRETCH_TILE);
    expect(sum_outcome(ways().back(), small_integers(size, 6, 1), 1024, true));
  }
}

}  // namespace tut::ch08
