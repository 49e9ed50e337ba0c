#include "02_fast_cpu_matmul/matmul_by_columns.hpp"

#include <doctest/doctest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../01_naive_matmul/extreme_matrices.hpp"
#include "01_naive_matmul/matmul_naive.hpp"
#include "tut/numeric/math.hpp"
#include "tut/testing/host_matmul_test.hpp"

namespace tut::ch02 {
namespace {

// What is wrong with a slice of a product, by its place in C and by its sizes; "" if nothing is.
std::string wrong_slice(MatrixView<const float> a, MatrixView<const float> b,
                        MatrixView<float> slice, MatrixView<const float> c) {
  const bool is_product = a.cols == b.rows && slice.rows == a.rows && slice.cols == b.cols;
  const bool has_elements = slice.rows > 0 && slice.cols > 0 && a.cols > 0;
  const std::int64_t first = slice.data - c.data;
  const bool is_in_c = first >= 0 && first + slice.cols <= c.cols && slice.rows <= c.rows;
  if (is_product && has_elements && is_in_c) return "";
  std::string text = "multiply was called with A " + shape_text(a) + ", B " + shape_text(b) +
                     " and C " + shape_text(slice) + ", from column " + std::to_string(first) +
                     "; expected slices of B and C with all rows, and columns of " +
                     std::to_string(c.cols);
  if (std::min(b.cols, slice.cols) < 0 || std::max(b.cols, slice.cols) - line_cols > c.cols) {
    text +=
        ": is a number read when its variable is gone, or holds another? Join the threads before "
        "what they use is destroyed, and give each its own copy";
  }
  return text;
}

// The product by slices. Each slice is checked before it is multiplied, since an exception in a
// thread would end the program.
void multiply_by_columns(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         int threads) {
  struct Complaint {
    std::mutex mutex;
    std::string text;
  };
  const auto complaint = std::make_shared<Complaint>();  // there for threads that nobody waits for
  matmul_by_columns(a, b, c, threads, [complaint, c](auto slice_a, auto slice_b, auto slice_c) {
    const std::string wrong = wrong_slice(slice_a, slice_b, slice_c, c);
    if (wrong.empty()) return ch01::matmul_naive(slice_a, slice_b, slice_c);
    const std::lock_guard lock(complaint->mutex);
    if (complaint->text.empty()) complaint->text = wrong;
  });
  const std::lock_guard lock(complaint->mutex);
  if (!complaint->text.empty()) throw CallFailure("values", complaint->text);
}

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
void observe(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, int threads,
             int expected, Calls& calls) {
  std::atomic<int> arrived = 0;
  matmul_by_columns(a, b, c, threads, [&](auto, auto, auto slice) {
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
  for (auto& slice : calls.slices) slice.stride = slice.data - c.data;
  std::ranges::sort(calls.slices, {}, [](const auto& slice) { return slice.stride; });
}

// Nothing is multiplied: what the matrices hold does not matter.
Outcome slices_outcome(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       int threads) {
  const int cols = c.cols, lines = ceil_div(cols, line_cols), expected = std::min(threads, lines);
  Calls calls;
  observe(a, b, c, threads, expected, calls);
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
  std::int64_t end = 0;
  for (const auto& slice : calls.slices) {
    if (slice.stride != end || slice.rows != c.rows) {
      return wrong("a slice begins at column " + std::to_string(slice.stride) + " and has " +
                   std::to_string(slice.rows) + " rows; expected column " + std::to_string(end) +
                   ", where the one before ends, and all rows");
    }
    end += slice.cols;
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
  return end == cols ? Outcome{} : wrong("the slices end at column " + std::to_string(end));
}

Outcome slices_outcome(int cols, int threads) {
  constexpr int ROWS = 4;
  const HostMatrix<float> a(ROWS, 3), b(3, cols);
  HostMatrix<float> c(ROWS, cols);
  return slices_outcome(a.cview(), b.cview(), c.view(), threads);
}

// The slices are done at once, so that a thread which looks for more finds some.
Outcome own_threads_outcome(int threads) {
  HostMatrix<float> a(1, 1), b(1, threads * line_cols), c(1, threads * line_cols);
  static std::atomic<int> next_number = 0;  // ids are given again, of threads that have ended
  std::mutex mutex;
  std::set<int> used;
  matmul_by_columns(a.cview(), b.cview(), c.view(), threads, [&](auto, auto, auto) {
    thread_local const int number = next_number++;
    const std::lock_guard lock(mutex);
    used.insert(number);
  });
  if (static_cast<int>(used.size()) == threads) return {};
  return failure("values", std::to_string(threads) + " slices were multiplied by " +
                               std::to_string(used.size()) +
                               " threads; expected a thread of its own for each, however fast the "
                               "others are");
}

// Every slice but the caller's is still being multiplied when that one is done. It takes threads
// that work at the same time.
Outcome joins_outcome(int threads) {
  struct Progress {
    std::atomic<int> begun = 0, done = 0;
    std::atomic<bool> caller_is_done = false;
  };
  const auto progress = std::make_shared<Progress>();  // there for threads that nobody waits for
  HostMatrix<float> a(2, 3), b(3, threads * line_cols), c(2, threads * line_cols);
  const Multiply multiply = [progress, threads, caller = std::this_thread::get_id()](auto, auto,
                                                                                     auto) {
    const std::shared_ptr<Progress> own = progress;
    const bool is_caller = std::this_thread::get_id() == caller;
    ++own->begun;
    while (is_caller ? own->begun < threads : !own->caller_is_done) std::this_thread::yield();
    if (is_caller) own->caller_is_done = true;
    if (!is_caller) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++own->done;
  };
  matmul_by_columns(a.cview(), b.cview(), c.view(), threads, multiply);
  const int done = progress->done;
  if (done == threads) return {};
  return failure("values", "matmul_by_columns returned when " + std::to_string(done) + " of " +
                               std::to_string(threads) +
                               " slices were done; expected that it waits for all of its threads");
}

}  // namespace

TEST_CASE("matmul_by_columns computes C = AB, whatever the number of threads") {
  for (const int threads : {1, 2, 3, 7}) {
    const HostMatmul<float, float> product = [&](auto a, auto b, auto c) {
      multiply_by_columns(a, b, c, threads);
    };
    MatmulTestOptions options{.shapes = matmul_shapes(16)};
    options.shapes.push_back({9, 130, 8});
    expect(matmul_outcome<float, float>(product, options));
  }
}

TEST_CASE("matmul_by_columns with one long side, and with rows that lie far apart") {
  const HostMatmul<float, float> product = [](auto a, auto b, auto c) {
    multiply_by_columns(a, b, c, 3);
  };
  expect(ch01::long_shapes_outcome(product));
  expect(ch01::second_call_outcome(product));
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

TEST_CASE("matmul_by_columns uses more threads than the machine has processors") {
  if (has_failed()) return;
  const int threads = 2 * static_cast<int>(std::thread::hardware_concurrency()) + 1;
  expect(slices_outcome(threads * line_cols + 1, threads));
}

TEST_CASE("matmul_by_columns gives each slice a thread of its own") {
  if (has_failed()) return;
  expect(own_threads_outcome(64));
}

TEST_CASE("matmul_by_columns cuts as many columns as there may be") {
  constexpr int COLS = 1'000'000'000;
  const ch01::FarRows b(2, 1), c(2, 1);
  if (!b.is_there() || !c.is_there()) return;
  const HostMatrix<float> a(1, 1);
  for (const int threads : {64, 200}) {  // times their lines: beyond an int, and beyond 32 bits
    expect(slices_outcome(a.cview(), {b.view().data, 1, COLS, COLS}, {c.view().data, 1, COLS, COLS},
                          threads));
  }
}

TEST_CASE("matmul_by_columns waits for all of its threads") {
  if (has_failed()) return;
  for (const int threads : {2, 5}) expect(joins_outcome(threads));
}

TEST_CASE("matmul_by_columns refuses fewer than one thread, empty matrices and short strides") {
  HostMatrix<float> a(2, 3), b(3, 4), c(2, 4);
  CHECK_THROWS_AS(matmul_by_columns(a.cview(), b.cview(), c.view(), 0, ch01::matmul_naive),
                  std::invalid_argument);
  CHECK_THROWS_AS(matmul_by_columns(a.cview(), b.cview(), c.view(), -3, ch01::matmul_naive),
                  std::invalid_argument);
  const HostMatmul<float, float> nothing = [](auto no_a, auto no_b, auto no_c) {
    matmul_by_columns(no_a, no_b, no_c, 2, [](auto, auto, auto) {});
  };
  expect(ch01::empty_matrices_outcome(nothing));
  expect(ch01::short_strides_outcome(nothing));
}

}  // namespace tut::ch02
