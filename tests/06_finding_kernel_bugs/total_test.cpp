#include "06_finding_kernel_bugs/total.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tut/budget.hpp"
#include "tut/device_buffer.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

// Twice with the same scratch memory: what the first call leaves there must not disturb the second.
Outcome total_outcome(const std::vector<float>& values, bool guarded, double bound) {
  const auto n = static_cast<int>(values.size());
  Guarded<float> x = vector_image(values, guarded), out = empty_image<float>(2, guarded);
  const Guarded<float> x_before = x, out_before = out;
  Guarded<float> partial = empty_image<float>(total_blocks(n), guarded);
  Guarded<unsigned> finished = vector_image<unsigned>({0}, guarded);
  const Guarded<float> partial_before = partial;
  const std::string text = "n = " + std::to_string(n);
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to,
          MatrixView<float> parts, MatrixView<unsigned> tickets) {
        total(from.data, n, to.data, parts.data, tickets.data, stream);
        total(from.data, n, to.data + 1, parts.data, tickets.data, stream);
      },
      x, out, partial, finished);
  if (!run.ok) return run;
  double sum = 0;
  for (const float value : values) sum += value;
  return first_failure({vector_is(
                            out_before, out, "the total of call", text, [&](int) { return sum; },
                            [&](int) { return bound; }),
                        nothing_changed(x_before, x, "x", text, true),
                        only_inside_changed(partial_before, partial, "partial", text, true)});
}

const std::vector<int> sizes = {4096, 4097, 1025, 1024, 1023, 10007, 100003, 257, 31, 2, 1};

}  // namespace

TEST_CASE("total of small integers is exact") {
  for (const int n : sizes) {
    std::vector<float> values(static_cast<std::size_t>(n));
    fill_small_integers(values, 7, 50);
    expect(total_outcome(values, true, 0));
  }
}

TEST_CASE("total of any numbers") {
  for (const int n : sizes) {
    const std::vector<float> values = random_values(n, 8);
    double magnitude = 0;
    for (const float value : values) magnitude += std::abs(static_cast<double>(value));
    expect(total_outcome(values, false, sum_bound(n, magnitude)));
  }
}

TEST_CASE("total of nothing is 0, and a negative number is refused") {
  const DeviceBuffer<float> out(1), partial(1);
  DeviceBuffer<unsigned> finished(1);
  finished.fill_bytes(0);
  total(nullptr, 0, out.data(), partial.data(), finished.data());
  CHECK(out.to_host()[0] == doctest::Approx(0.0));
  CHECK_THROWS_AS(total(nullptr, -1, nullptr, nullptr, nullptr), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int N = 16384;
  const DeviceBuffer<float> x(std::vector<float>(N, 1.0f)), out(1), partial(total_blocks(N));
  DeviceBuffer<unsigned> finished(1);
  finished.fill_bytes(0);
  expect_budget("total", 4.0 * N + 128.0 * total_blocks(N),
                [&] { total(x.data(), N, out.data(), partial.data(), finished.data()); });
}

}  // namespace tut::ch06
