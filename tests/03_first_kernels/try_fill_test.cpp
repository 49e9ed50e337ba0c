#include "03_first_kernels/try_fill.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/numeric/math.hpp"
#include "tut/trial/grid_reach.hpp"
#include "tut/trial/refusing_stream.hpp"
#include "vector_case.hpp"

namespace tut::ch03 {
namespace {

struct Attempt {
  cudaError_t returned, left_behind;
  Outcome values;
};

// Fills n elements that hold 7, or a zero of the other sign, or fails to.
Attempt attempt(int threads, int n = 1000, float new_value = 3.0f) {
  const float old_value = new_value == 0.0f ? -new_value : 7.0f;
  const auto size = static_cast<std::size_t>(n);
  Guarded<float> x = make_vector(std::vector<float>(size, old_value));
  const Guarded<float> before = x;
  const std::string text = "n = " + std::to_string(n) + ", value " + number_text(new_value) + ", " +
                           std::to_string(threads) + " threads a block";
  Attempt result{};
  const bool filled = threads >= 1 && threads <= 1024;
  Outcome run = run_on_device(
      {.recordable = filled,
       .throws_refusals = false,
       .most_launches = 1,
       .launch = LaunchShape{static_cast<unsigned>(ceil_div(n, std::max(threads, 1))),
                             static_cast<unsigned>(threads)}},
      text,
      [&](cudaStream_t stream, MatrixView<float> xv) {
        result.returned = try_fill(xv.data, n, new_value, threads, stream);
        result.left_behind = cudaGetLastError();
      },
      x);
  const std::vector<float> expected(size, filled ? new_value : old_value);
  result.values = run.ok ? exactly_moved(before, x, expected, "x", text) : run;
  return result;
}

Outcome error_is(cudaError_t got, cudaError_t expected, const std::string& what, int threads) {
  if (got == expected) return {};
  return failure("values", what + " is " + cudaGetErrorName(got) + "; expected " +
                               cudaGetErrorName(expected) + " (" + std::to_string(threads) +
                               " threads a block)");
}

/// CUDA's code of a launch whose blocks cannot be is another in each version.
Outcome is_refusal(cudaError_t got, int threads) {
  if (got == cudaErrorInvalidValue || got == cudaErrorInvalidConfiguration) return {};
  return error_is(got, cudaErrorInvalidValue, "the result", threads);
}

}  // namespace

TEST_CASE("try_fill fills with every block size that a device allows") {
  for (const int threads : {1, 32, 100, 256, 1000, 1024}) {
    const Attempt result = attempt(threads);
    expect(result.values);
    expect(error_is(result.returned, cudaSuccess, "the result", threads));
    expect(error_is(result.left_behind, cudaSuccess, "the error left behind", threads));
  }
}

TEST_CASE("try_fill fills arrays of any length, with any value") {
  for (const int length : {1, 33, 70000}) expect(attempt(1, length).values);
  expect(attempt(256, 300000).values);
  for (const float value : {0.0f, -0.0f, 0.1f, -1e30f, 1e-40f})
    expect(attempt(256, 1000, value).values);
}

TEST_CASE("try_fill returns the error of an invalid launch, and leaves none behind") {
  for (const int threads :
       {0, 1025, 4096, -1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    for (const float value : {3.0f, 0.0f, -0.0f}) {
      const Attempt result = attempt(threads, 1000, value);
      expect(result.values);
      expect(is_refusal(result.returned, threads));
      expect(error_is(result.left_behind, cudaSuccess, "the error left behind", threads));
    }
  }
}

TEST_CASE("try_fill returns the error of a launch that its stream refuses") {
  const DeviceBuffer<float> x(32);
  const RefusingStream stream;  // after it nothing may be allocated
  const cudaError_t returned = try_fill(x.data(), 32, 3.0f, 32, stream);
  const cudaError_t left_behind = cudaGetLastError();
  const std::string waits = returned == cudaErrorStreamCaptureUnsupported
                                ? ", where a call that makes the host wait is refused,"
                                : "";
  expect(error_is(returned, cudaErrorStreamCaptureInvalidated,
                  "the result on a stream whose capture is invalid" + waits, 32));
  expect(error_is(left_behind, cudaSuccess, "the error left behind", 32));
}

TEST_CASE("try_fill does not wait, whatever becomes of the launch") {
  const Stream stream;
  const DeviceBuffer<float> x(32), other(1);
  for (const int threads : {32, 4096}) {
    Event before, after;
    before.record(stream);
    check(cudaMemsetAsync(other.data(), 0, other.bytes(), stream));
    after.record(stream);
    try_fill(x.data(), 32, 3.0f, threads, stream);
    cudaGetLastError();
    // A GPU may have done it by now. The CPU backend holds it for done when the host has waited.
    float milliseconds = 0;
    const cudaError_t error = cudaEventElapsedTime(&milliseconds, before, after);
    cudaGetLastError();
    expect(on_cpu_backend && error == cudaSuccess
               ? failure("values", "the host has waited for its stream (" +
                                       std::to_string(threads) + " threads a block)")
               : Outcome{});
    stream.synchronize();
  }
}

TEST_CASE("try_fill launches as many blocks as it takes") {
  if (has_failed()) return;
  const LongBuffer<float> x;
  for (const int n : {(1 << 24) + 1, kLongSize - 1, kLongSize}) {
    for (const int threads : {1, 3, 1024}) {
      expect(outcome_of_call(std::to_string(n) + " elements", [&] {
        const RecordedCall recorded(
            [&](cudaStream_t stream) { try_fill(x.data(), n, 3.0f, threads, stream); });
        const auto blocks = static_cast<unsigned>(ceil_div(n, threads));
        const auto& launches = recorded.launches();
        const unsigned launched = launches.size() == 1 ? launches[0].grid.x : 0;
        if (launched == blocks) return;
        throw CallFailure("launch", "the grid has " + std::to_string(launched) +
                                        " blocks; expected " + std::to_string(blocks) + " of " +
                                        std::to_string(threads) + " threads");
      }));
    }
  }
}

TEST_CASE("try_fill reaches the ends of as many elements as there may be") {
  const LongBuffer<float> x;
  for (const int threads : {1, 1024}) {
    const int most = threads == 1 ? int{EndsOnly::kNumbered} : kLongSize;
    expect(grid_reach_outcome(
        [&](cudaStream_t stream, int n) { try_fill(x.data(), n, 3.0f, threads, stream); },
        [threads](int n) { return attempt(threads, n).values; }, 300000,
        MarkedParts("x", x.data(), static_cast<std::size_t>(most)), most));
  }
}

TEST_CASE("budget") {
  constexpr int N = 4096;
  expect_budget("try_fill", 4.0 * N, [] { return attempt(256, N).values; });
  for (const int n : {1, 3, 258, 1025}) {
    expect_single_stores([n] { return attempt(64, n).values; });
  }
}

}  // namespace tut::ch03
