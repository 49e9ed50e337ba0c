// no tolerance: what it gives is a time, of which no precision is promised
#include "03_first_kernels/average_ms.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "simt/runtime/interface.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch03 {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int warm_up_ms = 60;

// Work that takes a known time, no whole number of milliseconds: a host function that the stream
// runs, and that sleeps. The first call takes longer, as first calls do, and of the others the
// second.
struct SleepyWork {
  struct Call {
    int microseconds;
    double slept_ms = 0;  // as long as that, and what the machine adds
  };
  int calls = 0;
  std::vector<cudaStream_t> streams = {};  // that it was issued to
  std::deque<Call> slept = {};

  void operator()(cudaStream_t stream) {
    constexpr int kMicroseconds[] = {1000 * warm_up_ms, 8700, 32700, 8700};
    streams.push_back(stream);
    slept.push_back({kMicroseconds[std::min(calls, 3)]});
    check(cudaLaunchHostFunc(
        stream,
        [](void* data) {
          auto& call = *static_cast<Call*>(data);
          const auto start = Clock::now();
          std::this_thread::sleep_for(std::chrono::microseconds(call.microseconds));
          call.slept_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        },
        &slept.back()));
    ++calls;
  }
  /// Of the calls after the first.
  static double expected_ms(int repeats) { return repeats == 1 ? 8.7 : 32.7 + 8.7 * (repeats - 1); }
};

struct Timing {
  float average_ms = 0.0f;
  double wall_ms = 0.0;
  int calls = 0;
  std::vector<double> slept_ms = {};  // by each call
};

std::string stream_text(unsigned flags) {
  return std::string("a stream that ") +
         (flags == cudaStreamNonBlocking ? "does not wait" : "waits") + " for the default stream";
}

Outcome measure(Timing& timing, int repeats, unsigned flags) {
  SleepyWork work;
  bool on_its_stream = true;
  Outcome run = outcome_of_call(stream_text(flags), [&] {
    const Stream stream(flags);
    const auto start = Clock::now();
    timing.average_ms = average_ms([&](cudaStream_t s) { work(s); }, repeats, stream);
    const cudaStream_t handle = stream;
    on_its_stream = std::ranges::count(work.streams, handle) == std::ssize(work.streams);
    check(cudaStreamSynchronize(stream));
    timing.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  });
  timing.calls = work.calls;
  for (const SleepyWork::Call& call : work.slept) timing.slept_ms.push_back(call.slept_ms);
  return run.ok && !on_its_stream ? failure("values",
                                            "work was issued to another stream than that "
                                            "of the call")
                                  : run;
}

/// What else of the work takes the time that was taken for its average; "" if nothing does.
std::string likely_cause(const Timing& timing, int repeats, unsigned flags) {
  if (flags == cudaStreamNonBlocking && !has_failed()) {
    return "; on other streams it is right: are both events recorded on the stream of the call?";
  }
  const double warm_up = timing.slept_ms.front(), last = timing.slept_ms.back();
  const double all =  // of the calls that are timed
      std::accumulate(timing.slept_ms.begin() + 1, timing.slept_ms.end(), 0.0);
  const struct {
    double ms;
    const char* cause;
  } causes[] = {
      {all / repeats / 1000, "it is in seconds: events count in milliseconds already"},
      {0,
       "no call lies between the two events: record the first before the calls that are timed, "
       "and the second behind them"},
      {(warm_up + all) / repeats,
       "the first call, which warms up, is between the events, too: record the first event behind "
       "it"},
      {(warm_up + all) / (repeats + 1),
       "the first call, which warms up, is in it: record the first event behind it, and divide by "
       "the calls that are timed"},
      {all, "it is the time of all calls together: divide it by their number"},
      {all / (repeats + 1), "it is divided by one call too many: the first is not timed"},
      {last, "it is the time of the last call alone: both events stand around all calls"},
      {all / std::max(repeats - 1, 1),
       "it is divided by one call too few: all of them are timed but the first"},
      {last / repeats,
       "only the last call lies between the events: record the first event before the loop"}};
  const auto distance = [&](const auto& c) { return std::abs(timing.average_ms - c.ms); };
  const auto& nearest = *std::ranges::min_element(causes, {}, distance);
  const double slack = nearest.ms == 0 ? 0.1 : 0.1 * nearest.ms;
  return distance(nearest) < slack ? std::string("; ") + nearest.cause : "";
}

Outcome timing_outcome(int repeats, unsigned flags) {
  Timing timing;
  if (Outcome run = measure(timing, repeats, flags); !run.ok) return run;
  if (timing.calls != repeats + 1) {
    return failure("values", "work was called " + std::to_string(timing.calls) +
                                 " times; expected once untimed and " + std::to_string(repeats) +
                                 " times timed");
  }
  // A sleep is never shorter than asked for; how much longer it is the clock on the wall says. It
  // has also seen the warm-up. Events count in steps of about half a microsecond.
  const double at_least = 0.99 * SleepyWork::expected_ms(repeats) / repeats;
  const double at_most = (timing.wall_ms - warm_up_ms) / repeats + 0.1;
  const bool plausible = timing.average_ms >= at_least && timing.average_ms <= at_most;
  return plausible
             ? Outcome{}
             : failure("values", "the average is " + number_text(timing.average_ms) +
                                     " ms; expected between " + number_text(at_least) + " and " +
                                     number_text(at_most) + " ms, on " + stream_text(flags) +
                                     likely_cause(timing, repeats, flags));
}

// Work that notices if the host has waited for one call before it issues the next. A GPU may have
// done it by then; the CPU backend holds an event for reached when the host has waited for it.
struct WatchfulWork {
  DeviceBuffer<float> memory{1};
  std::vector<Event> done = {};
  bool was_waited_for = false;

  void operator()(cudaStream_t stream) {
    // A wait for the first call, which is not timed, is allowed.
    const bool is_done = done.size() >= 2 && cudaEventQuery(done.back()) == cudaSuccess;
    cudaGetLastError();  // "not ready" is no error that the caller should find
    was_waited_for = was_waited_for || (on_cpu_backend && is_done);
    check(cudaMemsetAsync(memory.data(), 0, memory.bytes(), stream));
    done.emplace_back(cudaEventDisableTiming).record(stream);
  }
};

}  // namespace

TEST_CASE("average_ms times the calls after the first") {
  for (const int repeats : {4, 1}) expect(timing_outcome(repeats, cudaStreamDefault));
  expect(timing_outcome(2, cudaStreamNonBlocking));
}

TEST_CASE("average_ms waits once, when all calls have been issued") {
  for (const int repeats : {3, 1009}) {
    WatchfulWork work;
    const Stream stream;
    average_ms([&](cudaStream_t s) { work(s); }, repeats, stream);
    expect(
        work.was_waited_for
            ? failure("values", "the host has waited for one call before it issued the next, of " +
                                    std::to_string(repeats) +
                                    "; expected all of them between two events, and one wait "
                                    "behind the second")
            : Outcome{});
  }
}

TEST_CASE("average_ms times work that times a part of its own") {
  SleepyWork sleep{.calls = 3};  // 8.7 ms each time
  const Stream stream;
  const auto work = [&](cudaStream_t s) {
    sleep(s);
    average_ms([](cudaStream_t) {}, 1, s);
  };
  const float mean = average_ms(work, 2, stream);
  expect(mean >= 0.99 * 8.7
             ? Outcome{}
             : failure("values",
                       "work that takes 8.7 ms, and calls average_ms for a part of its own, "
                       "takes " +
                           number_text(mean) +
                           " ms on the average; expected 8.7 or more: do two calls share "
                           "their events?"));
}

TEST_CASE("average_ms launches nothing of its own") {
  // What is issued to a stream that is being captured can be looked at, if the last call throws
  // before anything is waited for.
  const Stream stream;
  const DeviceBuffer<float> memory(1);
  int calls = 0;
  const auto work = [&](cudaStream_t s) {
    if (++calls == 4) throw std::runtime_error("no more");
    check(cudaMemsetAsync(memory.data(), 0, memory.bytes(), s));
  };
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    average_ms(work, 3, stream);
  } catch (const std::runtime_error&) {
  }
  cudaGraph_t graph = nullptr;
  const cudaError_t end = cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  if (end != cudaSuccess) return;  // it waited for the first call
  std::size_t nodes = 0;
  check(cudaGraphGetNodes(graph, nullptr, &nodes));
  check(cudaGraphDestroy(graph));
  expect(nodes <= 3 ? Outcome{}
                    : failure("values",
                              "three calls of work were issued, which is all that work "
                              "does, and " +
                                  std::to_string(nodes) +
                                  " operations are on the stream; expected none but "
                                  "work's"));
}

TEST_CASE("average_ms refuses to repeat nothing") {
  CHECK_THROWS_AS(average_ms([](cudaStream_t) {}, 0), std::invalid_argument);
  CHECK_THROWS_AS(average_ms([](cudaStream_t) {}, -1), std::invalid_argument);
}

TEST_CASE("average_ms passes on what its work throws") {
  for (const int last : {1, 2, 4}) {
    int calls = 0;
    const auto work = [&](cudaStream_t) {
      if (++calls == last) check(cudaErrorMemoryAllocation);
    };
    CHECK_THROWS_AS(average_ms(work, 3), CudaError);
    CHECK(calls == last);
  }
}

TEST_CASE("average_ms throws the errors of CUDA that it meets") {
  // A stream that is being captured does nothing that could be waited for.
  const Stream stream;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  bool has_thrown = false;
  try {
    average_ms([](cudaStream_t) {}, 1, stream);
  } catch (const CudaError&) {
    has_thrown = true;
  }
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) check(cudaGraphDestroy(graph));
  cudaGetLastError();
  expect(has_thrown ? Outcome{}
                    : failure("values",
                              "a stream that is being captured cannot be waited for, "
                              "which CUDA says; expected a tut::CudaError"));
}

TEST_CASE("average_ms throws whichever of its calls to CUDA fails, and asks events for the time") {
  if (simt_fail_call == nullptr) return;  // a GPU cannot be told to fail
  constexpr std::uint64_t MOST_CALLS = 64;
  const Stream stream;
  bool asks_events = false;
  for (std::uint64_t number = 1; number <= MOST_CALLS; ++number) {
    bool has_thrown = false;
    simt_fail_call(number);
    try {
      average_ms([](cudaStream_t) {}, 2, stream);
    } catch (const CudaError&) {
      has_thrown = true;
    }
    const char* const name = simt_failed_call();
    const std::string failed = name != nullptr ? name : "";
    simt_fail_call(0);
    cudaGetLastError();
    if (failed.empty()) break;
    asks_events = asks_events || failed.starts_with("cudaEventElapsedTime");
    // A call that polls for the end gets the error there.
    const bool is_query = failed.find("Query") != std::string::npos;
    if (!has_thrown && !is_query) {
      return expect(failure("values", failed + " failed, and nothing was thrown; expected a "
                                               "tut::CudaError"));
    }
  }
  expect(asks_events
             ? Outcome{}
             : failure("values",
                       "no call of cudaEventElapsedTime: expected that the time is measured "
                       "with events, not by a clock of the host"));
}

TEST_CASE("average_ms takes the default stream where it gets none") {
  std::vector<cudaStream_t> streams;
  average_ms([&](cudaStream_t stream) { streams.push_back(stream); }, 2);
  expect(streams == std::vector<cudaStream_t>(3, nullptr)
             ? Outcome{}
             : failure("values", "without a stream, work is called " +
                                     std::to_string(streams.size()) +
                                     " times, or on another stream; expected 3 times, all on "
                                     "the default stream"));
}

TEST_CASE("average_ms waits for no other stream") {
  const Stream stream(cudaStreamNonBlocking), other(cudaStreamNonBlocking);
  const DeviceBuffer<float> memory(1);
  Event before, after;
  before.record(other);
  check(cudaMemsetAsync(memory.data(), 0, memory.bytes(), other));
  after.record(other);
  average_ms([](cudaStream_t) {}, 1, stream);
  // A GPU may have done it by now. The CPU backend holds it for done when the host has waited.
  float milliseconds = 0;
  const cudaError_t error = cudaEventElapsedTime(&milliseconds, before, after);
  const bool waited = on_cpu_backend && error == cudaSuccess;
  expect(waited ? failure("values", "the host has waited for another stream, too") : Outcome{});
  other.synchronize();
}

}  // namespace tut::ch03
