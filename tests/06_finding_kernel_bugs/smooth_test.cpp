#include "06_finding_kernel_bugs/smooth.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "tut/budget.hpp"
#include "tut/device_buffer.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

Outcome smooth_outcome(int n, bool guarded) {
  const std::vector<float> values = random_values(n, 1);
  Guarded<float> x = vector_image(values, guarded), out = empty_image<float>(n, guarded);
  const Guarded<float> x_before = x, out_before = out;
  const std::string text = "n = " + std::to_string(n);
  Outcome run = run_on_device(
      text,
      [n](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        smooth(from.data, n, to.data, stream);
      },
      x, out);
  if (!run.ok) return run;

  const auto value = [&](int i) {
    return static_cast<double>(values[static_cast<std::size_t>(std::clamp(i, 0, n - 1))]);
  };
  return first_failure({vector_is(
                            out_before, out, "out", text,
                            [&](int i) { return (value(i - 1) + 2 * value(i) + value(i + 1)) / 4; },
                            [](int) { return 4 * Precision<float>::rounding; }),
                        nothing_changed(x_before, x, "x", text, true)});
}

}  // namespace

TEST_CASE("smooth averages each element with its neighbours") {
  expect(for_each_length([](int n) { return smooth_outcome(n, true); }));
}

TEST_CASE("smooth in memory that fits to the byte") {
  expect(for_each_length([](int n) { return smooth_outcome(n, false); }));
}

TEST_CASE("smooth does nothing for no elements, and refuses a negative number") {
  CHECK_NOTHROW(smooth(nullptr, 0, nullptr));
  CHECK_THROWS_AS(smooth(nullptr, -1, nullptr), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int N = 4096;
  const DeviceBuffer<float> x(std::vector<float>(N, 1.0f)), out(N);
  expect_budget("smooth", 8.0 * N + 64.0 * N / 256, [&] { smooth(x.data(), N, out.data()); });
}

}  // namespace tut::ch06
