#include "06_finding_kernel_bugs/total.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "../sum_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

Outcome tickets_are_back(const Guarded<unsigned>& finished, const std::string& text) {
  const unsigned tickets = finished.cview()(0, 0);
  if (tickets == 0) return {};
  return failure("values", "*finished is " + std::to_string(tickets) +
                               " after the call; expected 0 again (" + text + ")");
}

/// What a call leaves in its scratch memory: parts that come to the sum.
Outcome parts_are_right(const Guarded<float>& partial, double sum, double bound,
                        const std::string& text) {
  double parts = 0;
  for (int b = 0; b < partial.cols(); ++b) {
    const float part = partial.cview()(0, b);
    if (is_unwritten(part)) {
      return failure("values", "partial(" + std::to_string(b) +
                                   ") was never written; expected the sum of a part of x, by a " +
                                   "block for each (" + text + ")");
    }
    parts += part;
  }
  if (is_right(parts, false, sum, bound)) return {};
  return failure("values", "the sums in partial come to " + value_text(parts) + "; expected " +
                               value_text(sum) + ", as *out (" + text + ")");
}

/// `calls`: with the same scratch memory; what the first leaves there must not disturb the second.
/// `and_what`: more of the case, for its text.
Outcome total_outcome(const std::vector<float>& values, std::size_t guard, double bound, int calls,
                      const std::string& and_what = "") {
  const auto n = static_cast<int>(values.size());
  Guarded<float> x = vector_image(values, guard), out = empty_image<float>(calls, guard);
  const Guarded<float> x_before = x, out_before = out;
  Guarded<float> partial = empty_image<float>(total_blocks(n), guard);
  partial.set_scratch();
  Guarded<unsigned> finished = vector_image<unsigned>({0}, guard);
  const Guarded<float> partial_before = partial;
  const std::string text = "n = " + std::to_string(n) + and_what + (calls > 1 ? ", two calls" : "");
  Outcome run = run_on_device(
      {.most_launches = calls}, text,
      [&](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to,
          MatrixView<float> parts, MatrixView<unsigned> tickets) {
        for (int call = 0; call < calls; ++call) {
          total(from.data, n, to.data + call, parts.data, tickets.data, stream);
        }
      },
      x, out, partial, finished);
  if (!run.ok) return run;
  double sum = 0;
  for (const float value : values) sum += value;
  // Tickets that are left are why a second call has no last block.
  return first_failure(
      {tickets_are_back(finished, text), second_call_outcome(out.cview(), text),
       vector_is(
           out_before, out, "out", text, [&](int) { return sum; }, [&](int) { return bound; }),
       nothing_changed(x_before, x, "x", text, true),
       only_inside_changed(partial_before, partial, "partial", text, true),
       parts_are_right(partial, sum, bound, text)});
}

const std::vector<int> sizes = {4096, 4097, 1025, 1024, 1023, 10007, 100003, 257, 31, 2, 1};

}  // namespace

TEST_CASE("total of small integers is exact") {
  for (const int n : sizes) {
    std::vector<float> values(static_cast<std::size_t>(n));
    fill_small_integers(values, 7, 50);
    for (const int calls : {1, 2}) expect(total_outcome(values, kApart, 0, calls));
  }
}

TEST_CASE("total of any numbers") {
  for (const int n : sizes) {
    const std::vector<float> values = random_values(n, 8);
    double magnitude = 0;
    for (const float value : values) magnitude += std::abs(static_cast<double>(value));
    for (const std::size_t guard : {kTight, kOdd}) {
      expect(total_outcome(values, guard, sum_bound(n, magnitude), 2));
    }
    if (n == sizes.front()) expect(total_outcome(values, kApart, sum_bound(n, magnitude), 1));
  }
}

TEST_CASE("infinities and NaN are in the total like any other number") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const int n : {1, 300, 4097, 70001}) {
    for (const int place : {0, n / 2, n - 1}) {
      for (const float value : {infinity, -infinity, std::nanf("")}) {
        std::vector<float> values(static_cast<std::size_t>(n), 1.0f);
        values[static_cast<std::size_t>(place)] = value;
        expect(total_outcome(values, kApart, 0, 1,
                             ", " + value_text(value) + " at " + std::to_string(place)));
      }
    }
  }
  // Both in one thread's part, and far from each other.
  for (const std::size_t place : {256, 65536, 70000}) {
    std::vector<float> values(70001, 1.0f);
    values[0] = infinity, values[place] = -infinity;
    expect(total_outcome(values, kApart, 0, 1, ", inf at 0 and -inf at " + std::to_string(place)));
  }
}

TEST_CASE("total of an array whose size times that of the grid is beyond 32 bits") {
  constexpr int kSize = 68'200'003;
  if (has_failed()) return;
  const WithoutRaces shorter_ones_tell;
  DeviceBuffer<float> x(kSize);
  const DeviceBuffer<float> out(1), partial(total_blocks(kSize));
  const DeviceBuffer<unsigned> finished(std::vector<unsigned>{0});
  x.fill_bytes(0);
  const std::vector<int> places = {0, 1, kSize / 3, kSize / 2, kSize - 1};
  for (const int place : places) {
    const float one = 1.0f;
    check(cudaMemcpy(x.data() + place, &one, sizeof(one), cudaMemcpyHostToDevice));
  }
  const std::string text = std::to_string(kSize) + " elements, all but a few of them 0";
  Outcome outcome = outcome_of_call(text, [&] {
    run_to_end([&](cudaStream_t stream) {
      total(x.data(), kSize, out.data(), partial.data(), finished.data(), stream);
    });
  });
  const float sum = out.to_host()[0];
  if (outcome.ok && sum != 5.0f) {
    outcome = failure("values", "the total is " + value_text(sum) + "; expected 5 (" + text + ")");
  }
  expect(outcome);
}

TEST_CASE("total of nothing is 0, on its stream, and leaves no ticket") {
  Guarded<float> out = empty_image<float>(2, kApart), partial = empty_image<float>(1, kApart);
  Guarded<unsigned> finished = vector_image<unsigned>({0}, kApart);
  const Guarded<float> before = out, partial_before = partial;
  const std::string text = "n = 0, two calls";
  const Outcome run = run_on_device(
      {.most_launches = 2}, text,
      [](cudaStream_t stream, MatrixView<float> to, MatrixView<float> parts,
         MatrixView<unsigned> tickets) {
        for (int call = 0; call < 2; ++call) {
          total(nullptr, 0, to.data + call, parts.data, tickets.data, stream);
        }
      },
      out, partial, finished);
  const auto nothing = [](int) { return 0.0; };
  expect(first_failure({run, vector_is(before, out, "out", text, nothing),
                        only_inside_changed(partial_before, partial, "partial", text, true),
                        tickets_are_back(finished, text)}));
}

TEST_CASE("total refuses a negative number") {
  CHECK_THROWS_AS(total(nullptr, -1, nullptr, nullptr, nullptr), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int N = 16384;
  std::vector<float> values(N);
  fill_small_integers(values, 7, 50);
  expect_budget("total", 4.0 * N + 128.0 * total_blocks(N),
                [&] { return total_outcome(values, kTight, 0, 1); });
}

}  // namespace tut::ch06
