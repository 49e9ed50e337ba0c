// versions: each alone, because warp_reduce finds their shuffle_xor beside MinMax
#include "08_reductions/min_max.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>

#include "reduction_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch08 {
namespace {

Outcome min_max_outcome(const std::vector<float>& values, std::size_t guard = 1024,
                        std::size_t more_scratch = 0) {
  Guarded<float> in = vector_image(values, guard), out = result_image<float>(2);
  const Guarded<float> in_before = in, out_before = out;
  // Sometimes more than is needed.
  Guarded<float> scratch =
      result_image<float>(min_max_scratch(values.size()) + more_scratch + 5 * (values.size() % 2));
  scratch.set_scratch();
  const Guarded<float> scratch_before = scratch;
  const std::string text = std::to_string(values.size()) + " elements" + strange_text(values);
  Outcome run = run_on_device(
      {.most_launches = 2}, text,
      [](cudaStream_t stream, MatrixView<float> from, MatrixView<float> to,
         MatrixView<float> memory) {
        min_max(span_of(from), span_of(memory), reinterpret_cast<MinMax*>(to.data), stream);
      },
      in, out, scratch);
  if (!run.ok) return run;
  std::vector<double> expected = {values[0], values[0]};
  for (const float value : values) {
    if (std::isnan(value)) expected = {NAN, NAN};
    expected[0] = value < expected[0] ? value : expected[0];
    expected[1] = value > expected[1] ? value : expected[1];
  }
  const MatrixView<const float> got = out.cview();
  // Where the extremes stand tells as much as where a NaN does.
  std::string places = text;
  if (!std::isnan(expected[0])) {
    const auto [low, high] = std::ranges::minmax_element(values);
    places += ", the smallest at " + std::to_string(low - values.begin()) + ", the largest at " +
              std::to_string(high - values.begin());
  }
  const auto name_of = [](std::size_t i) { return std::string(i == 0 ? "smallest" : "largest"); };
  return first_failure({special_outcome({got.data, 2}, expected, places, name_of, 0),
                        only_inside_changed(out_before, out, "out", text, true),
                        only_inside_changed(scratch_before, scratch, "scratch", text, true),
                        nothing_changed(in_before, in, "in", text, true)});
}

}  // namespace

TEST_CASE("smallest and largest of any numbers") {
  for (const std::size_t size : lengths()) expect(min_max_outcome(uniform_values(size, 1)));
  for (const std::size_t guard : {1025, 1026, 1027}) {
    expect(min_max_outcome(uniform_values(9001, 2), guard));
  }
}

TEST_CASE("smallest and largest where all have one sign") {
  for (const std::size_t size : {1, 33, 4097, 65537}) {
    expect(min_max_outcome(uniform_values(size, 3, 5, 6)));
    expect(min_max_outcome(uniform_values(size, 3, -6, -5)));
    expect(min_max_outcome(std::vector<float>(size, -INF)));
    expect(min_max_outcome(std::vector<float>(size, INF)));
  }
}

TEST_CASE("smallest and largest wherever they are") {
  for (const std::size_t place : {0, 1, 2, 3, 255, 1023, 1024, 4095, 4096, 8191, 8192, 8999}) {
    for (const float value : {-4.0f, 4.0f, INF, -INF}) {
      std::vector<float> values(9000, 1.0f);
      values[place] = value;
      expect(min_max_outcome(values));
    }
  }
}

TEST_CASE("smallest and largest in the last of many blocks") {
  for (const float value : {-4.0f, 4.0f}) {
    std::vector<float> values(lengths().back(), 1.0f);
    values.back() = value;
    expect(min_max_outcome(values));
  }
}

TEST_CASE("smallest and largest of tiny and huge values") {
  for (const float scale : {1e-42f, 1e-38f, 3e38f}) {
    std::vector<float> values = uniform_values(5001, 5, 0.25f, 1);
    for (float& value : values) value *= scale;
    expect(min_max_outcome(values));
    for (float& value : values) value = -value;
    expect(min_max_outcome(values));
  }
}

TEST_CASE("a NaN makes both NaN, wherever it is") {
  for (const std::size_t place : {0, 1, 2, 3, 31, 32, 256, 4095, 4096, 8192, 8998, 8999}) {
    std::vector<float> values = uniform_values(9000, 4);
    values[place] = NOT_A_NUMBER;
    expect(min_max_outcome(values));
  }
}

TEST_CASE("a NaN is one whatever its sign and its other bits are") {
  for (const std::uint32_t bits :
       {0x7FC00000u, 0xFFC00000u, 0x7F800001u, 0xFF800001u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    for (const std::size_t place : {0, 30, 1029}) {
      std::vector<float> values = uniform_values(1030, 4);
      values[place] = std::bit_cast<float>(bits);
      expect(min_max_outcome(values));
    }
  }
}

TEST_CASE("infinities of both signs are no NaN") {
  for (const auto& [low, high] : {std::pair{0, 1}, {1024, 0}, {40, 77}, {5, 4999}, {4998, 4999}}) {
    std::vector<float> values = uniform_values(5000, 7);
    values[static_cast<std::size_t>(low)] = -INF;
    values[static_cast<std::size_t>(high)] = INF;
    expect(min_max_outcome(values));
  }
}

TEST_CASE("smallest, largest and NaN among more stretches than a block has threads") {
  constexpr std::size_t SIZE = 1'100'003;
  for (const auto& [place, value] :
       {std::pair{std::size_t{0}, NOT_A_NUMBER}, {SIZE - 1, NOT_A_NUMBER}, {0, -4.0f}, {0, 4.0f}}) {
    std::vector<float> values(SIZE, 1.0f);
    values[place] = value;
    expect(min_max_outcome(values));
  }
}

TEST_CASE("smallest and largest where stretches are longer than a tile") {
  const DeviceBuffer<MinMax> out(1);
  const DeviceBuffer<float> scratch(min_max_scratch(LONGER_STRETCHES));
  expect(longer_stretches_outcome(
      {-3, 1, 5},
      [&](cudaStream_t stream, std::span<const float> in) {
        min_max(in, {scratch.data(), scratch.size()}, out.data(), stream);
      },
      [&](const std::string& text) {
        const MinMax got = out.to_host()[0];
        const auto name_of = [](std::size_t i) {
          return std::string(i == 0 ? "smallest" : "largest");
        };
        return special_outcome(std::vector<float>{got.smallest, got.largest},
                               std::vector<double>{-3, 5}, text, name_of, 0);
      }));
}

TEST_CASE("min_max in memory of just its size") {
  for (const std::size_t size : {1, 2, 3, 5, 4097}) {
    expect(min_max_outcome(uniform_values(size, 6), 0));
  }
}

TEST_CASE("min_max refuses an empty input and too little scratch memory") {
  const DeviceBuffer<float> in(5000), scratch(4);
  const DeviceBuffer<MinMax> out(1);
  CHECK_THROWS_AS(min_max({in.data(), 0}, {scratch.data(), 4}, out.data()), std::invalid_argument);
  CHECK_THROWS_AS(min_max({in.data(), 5000}, {scratch.data(), 3}, out.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(min_max({in.data(), 5000}, {scratch.data(), 4}, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(
      min_max({static_cast<const float*>(nullptr), 5000}, {scratch.data(), 4}, out.data()),
      std::invalid_argument);
}

TEST_CASE("budget") {
  // Aligned memory is loaded by 16 bytes whatever its size; there are as many blocks as stretches,
  // however much scratch memory there is.
  constexpr std::size_t LARGE_SCRATCH = 4000;
  for (const std::size_t size : {131072, 131075}) {
    expect_budget("min_max", 4.0 * size + 50.0 * min_max_scratch(size),
                  [&] { return min_max_outcome(uniform_values(size, 1), 1024, LARGE_SCRATCH); });
  }
}

}  // namespace tut::ch08
