#include "02_fast_cpu_matmul/matmul_by_columns.hpp"

#include <doctest/doctest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../01_naive_matmul/extreme_matrices.hpp"
#include "01_naive_matmul/matmul_naive.hpp"
#include "tut/host_matmul_test.hpp"
#include "tut/math.hpp"

namespace tut::ch02 {
namespace {

// What matmul_by_columns asked for: the slices of C, and the threads that came.
struct Calls {
  std::mutex mutex;
  std::vector<MatrixView<float>> slices;
  std::set<std::thread::id> threads;
  bool together = true;
};

// Processor time that all threads of this program have used.
double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// Runs with a multiply that waits until all expected slices are under way.
void observe(int rows, int cols, int threads, int expected, Calls& calls) {
  HostMatrix<float> a(rows, 3), b(3, cols), c(rows, cols);
  fill_uniform(a, 1);
  fill_uniform(b, 2);
  std::atomic<int> arrived = 0;
  matmul_by_columns(a.cview(), b.cview(), c.view(), threads, [&](auto, auto, auto slice) {
    {
      const std::lock_guard lock(calls.mutex);
      calls.slices.push_back(slice);
      calls.threads.insert(std::this_thread::get_id());
    }
    ++arrived;
    // All come, however busy the machine is, unless one slice waits for another: by the time that
    // those that wait have used seconds of a processor, any other that could work has had its turn,
    // too. That is waited for once.
    static std::atomic<bool> waited_in_vain = false;
    const double give_up = processor_seconds() + 4;
    while (arrived < expected && !waited_in_vain) {
      if (processor_seconds() > give_up) waited_in_vain = true;
      std::this_thread::yield();
    }
    const std::lock_guard lock(calls.mutex);
    calls.together = calls.together && arrived >= expected;
  });
  // Where each slice begins, in columns of C.
  for (auto& slice : calls.slices) slice.stride = slice.data - c.data();
}

Outcome slices_outcome(int cols, int threads) {
  const int lines = ceil_div(cols, line_cols), expected = std::min(threads, lines);
  Calls calls;
  observe(4, cols, threads, expected, calls);
  const auto wrong = [&](const std::string& what) {
    return failure("values", what + " (" + std::to_string(cols) + " columns, " +
                                 std::to_string(threads) + " threads)");
  };
  const auto count = static_cast<int>(calls.slices.size());
  if (count != expected) {
    return wrong("multiply was called " + std::to_string(count) + " times; expected " +
                 std::to_string(expected) + " slices");
  }
  if (!calls.together) return wrong("the slices were not multiplied at the same time");
  if (static_cast<int>(calls.threads.size()) != expected) {
    return wrong("the slices ran on " + std::to_string(calls.threads.size()) +
                 " threads; expected a thread for each");
  }
  if (!calls.threads.contains(std::this_thread::get_id())) {
    return wrong("the calling thread took no slice");
  }
  for (const auto& slice : calls.slices) {
    if (slice.cols < 1) return wrong("a slice is empty");
    if (slice.stride % line_cols != 0) {
      return wrong("a slice begins at column " + std::to_string(slice.stride) +
                   "; expected a multiple of " + std::to_string(line_cols));
    }
    const int slice_lines = ceil_div(slice.cols, line_cols);
    if (slice_lines > ceil_div(lines, expected) || slice_lines < lines / expected) {
      return wrong("a slice has " + std::to_string(slice.cols) + " columns of " +
                   std::to_string(cols) + "; expected equal shares");
    }
  }
  return {};
}

}  // namespace

TEST_CASE("matmul_by_columns computes C = AB, whatever the number of threads") {
  for (const int threads : {1, 2, 3, 7}) {
    const HostMatmul<float, float> product = [&](auto a, auto b, auto c) {
      matmul_by_columns(a, b, c, threads, ch01::matmul_naive);
    };
    MatmulTestOptions options{.shapes = matmul_shapes(16)};
    options.shapes.push_back({9, 130, 8});
    expect(matmul_outcome<float, float>(product, options));
  }
}

TEST_CASE("matmul_by_columns with one long side, and with rows that lie far apart") {
  const HostMatmul<float, float> product = [](auto a, auto b, auto c) {
    matmul_by_columns(a, b, c, 3, ch01::matmul_naive);
  };
  expect(ch01::long_shapes_outcome(product));
  expect(ch01::far_rows_outcome(product));
}

TEST_CASE("matmul_by_columns cuts whole lines, in equal shares, for as many threads") {
  for (const int cols : {1, 16, 17, 48, 100, 256, 1500}) {
    for (const int threads : {1, 2, 3, 5, 19}) {
      const Outcome outcome = slices_outcome(cols, threads);
      expect(outcome);
      if (!outcome.ok) return;  // a slice that waits in vain for the others costs seconds
    }
  }
}

TEST_CASE("matmul_by_columns refuses fewer than one thread") {
  HostMatrix<float> a(2, 3), b(3, 4), c(2, 4);
  CHECK_THROWS_AS(matmul_by_columns(a.cview(), b.cview(), c.view(), 0, ch01::matmul_naive),
                  std::invalid_argument);
}

}  // namespace tut::ch02
