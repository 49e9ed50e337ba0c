#include "06_finding_kernel_bugs/suffix_sums.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tut/budget.hpp"
#include "tut/device_buffer.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

constexpr int block = 256;

Outcome suffix_outcome(int n, bool guarded) {
  std::vector<int> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>(random_bits(5, i) % 2001) - 1000;
  }
  Guarded<int> x = vector_image(values, guarded), out = empty_image<int>(n, guarded);
  const Guarded<int> x_before = x, out_before = out;
  const std::string text = "n = " + std::to_string(n);
  Outcome run = run_on_device(
      text,
      [n](cudaStream_t stream, MatrixView<const int> from, MatrixView<int> to) {
        suffix_sums(from.data, n, to.data, stream);
      },
      x, out);
  if (!run.ok) return run;
  const auto expected = [&](int i) {
    double sum = 0;
    for (int j = i; j < std::min(n, (i / block + 1) * block); ++j) {
      sum += values[static_cast<std::size_t>(j)];
    }
    return sum;
  };
  return first_failure({vector_is(out_before, out, "out", text, expected),
                        nothing_changed(x_before, x, "x", text, true)});
}

}  // namespace

TEST_CASE("suffix_sums adds from each element to the end of its block") {
  for (const bool guarded : {false, true}) {
    expect(for_each_length([&](int n) { return suffix_outcome(n, guarded); }));
  }
}

TEST_CASE("suffix_sums does nothing for no elements, and refuses a negative number") {
  CHECK_NOTHROW(suffix_sums(nullptr, 0, nullptr));
  CHECK_THROWS_AS(suffix_sums(nullptr, -1, nullptr), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int N = 4096;
  const DeviceBuffer<int> x(std::vector<int>(N, 1)), out(N);
  expect_budget("suffix_sums", 8.0 * N, [&] { suffix_sums(x.data(), N, out.data()); });
}

}  // namespace tut::ch06
