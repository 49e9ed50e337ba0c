#include "08_reductions/scan.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "reduction_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch08 {
namespace {

using Integers = std::vector<int>;

Integers random_integers(std::size_t size, int limit) {
  Integers values(size);
  const auto count = 2 * static_cast<std::uint64_t>(limit) + 1;
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = static_cast<int>((drawn_bits(7, i) >> 32) % count) - limit;
  }
  return values;
}

/// Where a sum begins or ends in the wrong place: what one element adds to which sums.
std::string wrong_sums(std::size_t size) {
  constexpr std::size_t kLongest = 20000;
  if (size > kLongest) return "";
  try {
    for (const std::size_t place :
         {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{1023}, size / 2, size - 1}) {
      if (place >= size) continue;
      Integers one(size, 0);
      one[place] = 1;
      const DeviceBuffer<int> in(one), scratch(scan_scratch(size)), out(size);
      run_to_end([&](cudaStream_t stream) {
        scan({in.data(), size}, {scratch.data(), scratch.size()}, {out.data(), size}, stream);
      });
      const Integers sums = out.to_host();
      for (std::size_t i = 0; i < size; ++i) {
        const int times = sums[i], expected = i < place ? 0 : 1;
        if (times == expected) continue;
        return "in[" + std::to_string(place) + "] is in the sum out[" + std::to_string(i) + "] " +
               std::to_string(times) + " times, expected " + std::to_string(expected);
      }
    }
  } catch (const std::exception&) {
    // Other cases tell of it.
  }
  return "";
}

Outcome scan_outcome(const Integers& values, std::size_t in_guard = 1024,
                     std::size_t out_guard = 1024, std::size_t more_scratch = 3) {
  const std::size_t size = values.size();
  Guarded<int> in = vector_image(values, in_guard), out = result_image<int>(size, out_guard);
  Guarded<int> scratch = result_image<int>(scan_scratch(size) + more_scratch);
  scratch.set_scratch();
  const Guarded<int> in_before = in, out_before = out, scratch_before = scratch;
  const std::string text = std::to_string(size) + " elements";
  Outcome run = run_on_device(
      {.most_launches = 3}, text,
      [](cudaStream_t stream, MatrixView<int> from, MatrixView<int> to, MatrixView<int> memory) {
        scan(span_of(from), span_of(memory), span_of(to), stream);
      },
      in, out, scratch);
  if (!run.ok) return run;
  const auto length = static_cast<int>(size);
  std::int64_t sum = 0;
  const auto expected = make_matrix<double>(1, length, [&](int, int c) {
    return static_cast<double>(sum += values[static_cast<std::size_t>(c)]);
  });
  const auto exact = make_matrix<double>(1, length, [](int, int) { return 0.0; });
  CompareOptions options{.name = "out", .shape = text, .is_vector = true, .pattern = {}};
  options.probe = [size] { return wrong_sums(size); };
  return first_failure({compare(out.cview(), expected, exact, options),
                        only_inside_changed(out_before, out, "out", text, true),
                        only_inside_changed(scratch_before, scratch, "scratch", text, true),
                        nothing_changed(in_before, in, "in", text, true)});
}

}  // namespace

TEST_CASE("scans of random integers") {
  for (const std::size_t size : lengths()) expect(scan_outcome(random_integers(size, 1000)));
}

TEST_CASE("scans of arrays at odd places in memory") {
  for (const std::size_t size : {1, 3, 1023, 1024, 1025, 4097, 65543}) {
    const Integers values = random_integers(size, 1000);
    expect(scan_outcome(values, 1025, 1025));
    expect(scan_outcome(values, 1024, 1027));
    expect(scan_outcome(values, 1026, 1024));
    expect(scan_outcome(values, 0, 0));
  }
}

TEST_CASE("scans of large integers, whose sums no float holds") {
  constexpr int largest = std::numeric_limits<int>::max();
  expect(scan_outcome(random_integers(5000, largest / 5000)));
  Integers values(9000, 0);
  values[0] = largest - 4, values[1] = 1, values[4096] = 1, values[8999] = -2;
  expect(scan_outcome(values));
}

TEST_CASE("scans of stretches that are longer than a tile") {
  if (has_failed()) return;
  const WithoutRaces watched_in_part;
  constexpr std::size_t SIZE = LONGER_STRETCHES;
  Integers values(SIZE, 0);
  int value = 1;
  for (const std::size_t place :
       {std::size_t{0}, IN_LONGER_STRETCHES[0], IN_LONGER_STRETCHES[1], IN_LONGER_STRETCHES[2]}) {
    values[place] = value, value *= 10;
  }
  const DeviceBuffer<int> in(values), scratch(scan_scratch(SIZE)), out(SIZE);
  const std::string text = std::to_string(SIZE) + " elements, in stretches of two tiles";
  Outcome outcome = outcome_of_call(text, [&] {
    run_to_end([&](cudaStream_t stream) {
      scan({in.data(), SIZE}, {scratch.data(), scratch.size()}, {out.data(), SIZE}, stream);
    });
  });
  if (!outcome.ok) return expect(outcome);
  const Integers got = out.to_host();
  int sum = 0;
  for (std::size_t i = 0; i < SIZE; ++i) {
    sum += values[i];
    if (got[i] == sum) continue;
    return expect(failure("values", "out[" + std::to_string(i) + "] is " + std::to_string(got[i]) +
                                        "; expected " + std::to_string(sum) + " (" + text + ")"));
  }
  expect({});
}

TEST_CASE("a scan of nothing launches nothing, also where nothing is a null pointer") {
  expect(launches_nothing("0 elements", [](cudaStream_t stream) { scan({}, {}, {}, stream); }));
}

TEST_CASE("scan refuses what does not fit") {
  const DeviceBuffer<int> values(5000), sums(2), results(5000);
  const auto in = [&](std::size_t size) { return std::span<const int>(values.data(), size); };
  const auto out = [&](std::size_t size) { return std::span<int>(results.data(), size); };
  const auto scratch = [&](std::size_t size) { return std::span<int>(sums.data(), size); };
  const std::span<const int> no_in(static_cast<const int*>(nullptr), 5000);
  const std::span<int> no_out(static_cast<int*>(nullptr), 5000);
  CHECK_THROWS_AS(scan(no_in, scratch(2), out(5000)), std::invalid_argument);
  CHECK_THROWS_AS(scan(in(5000), scratch(2), no_out), std::invalid_argument);
  CHECK_THROWS_AS(scan(in(5000), no_out, out(5000)), std::invalid_argument);
  CHECK_THROWS_AS(scan(in(5000), scratch(1), out(5000)), std::invalid_argument);
  CHECK_THROWS_AS(scan(in(5000), scratch(2), out(4999)), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr std::size_t LARGE_SCRATCH = 4000;
  for (const std::size_t size : {131072, 131075}) {
    expect_budget("scan", 12.0 * size + 100.0 * scan_scratch(size), [&] {
      return scan_outcome(random_integers(size, 1000), 1024, 1024, LARGE_SCRATCH);
    });
  }
}

}  // namespace tut::ch08
