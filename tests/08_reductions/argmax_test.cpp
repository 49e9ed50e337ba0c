#include "08_reductions/argmax.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "reduction_case.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch08 {
namespace {

/// The first of the largest, as std::max_element finds it; the first NaN if there is one.
std::size_t expected_place(const std::vector<float>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) return i;
  }
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

Outcome argmax_outcome(const std::vector<float>& values, std::size_t guard = 1024) {
  Guarded<float> in = vector_image(values, guard);
  const Guarded<float> before = in;
  const DeviceBuffer<ArgMax> scratch(argmax_scratch(values.size())), out(1);
  const std::string text = std::to_string(values.size()) + " elements";
  Outcome run = run_on_device(
      {.at_once = false}, text,
      [&](cudaStream_t stream, MatrixView<float> from) {
        argmax(span_of(from), {scratch.data(), scratch.size()}, out.data(), stream);
      },
      in);
  if (!run.ok) return run;
  const ArgMax got = out.to_host()[0];
  const std::size_t place = expected_place(values);
  if (got.index != static_cast<std::int64_t>(place) ||
      bits_of(got.value) != bits_of(values[place])) {
    return failure("values", "the largest is " + value_text(got.value) + " at " +
                                 std::to_string(got.index) + "; expected " +
                                 value_text(values[place]) + " at " + std::to_string(place) + " (" +
                                 text + ")");
  }
  return nothing_changed(before, in, "in", text, true);
}

}  // namespace

TEST_CASE("argmax of any numbers") {
  for (const std::size_t size : lengths()) expect(argmax_outcome(uniform_values(size, 1)));
  for (const std::size_t guard : {1025, 1026, 1027}) {
    expect(argmax_outcome(uniform_values(9001, 2), guard));
  }
}

TEST_CASE("argmax finds the first of equal ones") {
  for (const std::size_t size : {4097, 99991}) {
    expect(argmax_outcome(small_integers(size, 3, 4)));
    expect(argmax_outcome(std::vector<float>(size, -INF)));
    expect(argmax_outcome(std::vector<float>(size, 0.0f)));
  }
}

TEST_CASE("argmax wherever the largest is") {
  for (const std::size_t place : {0, 1, 2, 3, 255, 256, 1023, 4095, 4096, 8191, 8192, 8999}) {
    std::vector<float> values(9000, -5.0f);
    values[place] = -4.0f;
    expect(argmax_outcome(values));
  }
}

TEST_CASE("argmax finds the first NaN") {
  for (const std::size_t place : {0, 3, 300, 5000, 8999}) {
    std::vector<float> values = uniform_values(9000, 4);
    values[place] = NOT_A_NUMBER;
    values[8999] = NOT_A_NUMBER;
    values[17] = INF;
    expect(argmax_outcome(values));
  }
}

TEST_CASE("argmax refuses an empty input and too little scratch memory") {
  const DeviceBuffer<float> in(5000);
  const DeviceBuffer<ArgMax> scratch(2), out(1);
  CHECK_THROWS_AS(argmax({in.data(), 0}, {scratch.data(), 2}, out.data()), std::invalid_argument);
  CHECK_THROWS_AS(argmax({in.data(), 5000}, {scratch.data(), 1}, out.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(argmax({in.data(), 5000}, {scratch.data(), 2}, nullptr), std::invalid_argument);
}

}  // namespace tut::ch08
