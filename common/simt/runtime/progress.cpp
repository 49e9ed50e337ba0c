#include "progress.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "observer.hpp"
#include "stream.hpp"
#include "stream_order.hpp"

namespace simt::detail {

namespace {

using Clock = std::chrono::steady_clock;

std::mutex mutex;

StreamOrder& order() {
  static auto& all = *new StreamOrder;
  return all;
}

/// Of which cudaStreamQuery has said "not ready".
std::set<const void*>& polled_streams() {
  static auto& all = *new std::set<const void*>;
  return all;
}

/// What this OS thread does for the device.
struct Running {
  int depth = 0;
  const void* stream = nullptr;
  Operation operation;
  Instant begin;             ///< as the program sees it
  Instant entered;           ///< in fact
  Clock::duration behind{};  ///< how far this thread's time, for the program, is behind
};
thread_local Running running;

/// The default stream is null to an observer.
const void* name_of(cudaStream_t stream) { return stream == cudaStreamLegacy ? nullptr : stream; }

Observer::StreamKind kind_of(cudaStream_t stream) {
  if (name_of(stream) == nullptr) return Observer::StreamKind::legacy;
  const bool blocking = is_default_stream(stream) || (stream->flags & cudaStreamNonBlocking) == 0;
  return blocking ? Observer::StreamKind::blocking : Observer::StreamKind::non_blocking;
}

/// When the running operation is at the point where it is now.
Instant time_on_device() { return running.begin + (Clock::now() - running.entered); }

/// The host's time is not before what it has waited for.
void catch_up() {
  const Instant now = Clock::now();
  running.behind = now - std::max(now - running.behind, order().host().end);
}

template <class Wait>
void wait(const Wait& wait) {
  {
    const std::lock_guard lock(mutex);
    wait(order());
    if (running.depth == 0) catch_up();
  }
  if (Observer* const watching = observer()) wait(*watching);
}

}  // namespace

RunningOperation::RunningOperation(cudaStream_t stream) {
  const void* const name = name_of(stream);
  if (Observer* const watching = observer()) watching->issued(name, kind_of(stream));
  if (running.depth++ != 0) return;
  const std::lock_guard lock(mutex);
  running.operation = order().issue(name, kind_of(stream));
  running.stream = name;
  running.entered = Clock::now();
  running.begin = std::max(running.entered - running.behind, order().find(name)->clock.end);
}

RunningOperation::~RunningOperation() {
  if (--running.depth != 0) return;
  const Instant end = time_on_device();
  running.behind += end - running.begin;
  const std::lock_guard lock(mutex);
  order().ends(running.stream, end);
}

Operation running_operation() { return running.operation; }

bool is_known_done(const Operation& operation) {
  const std::lock_guard lock(mutex);
  return order().known_to_host(operation);
}

void note_event(cudaEvent_t event, cudaStream_t stream) {
  {
    const std::lock_guard lock(mutex);
    order().ends(running.stream, time_on_device());
    order().recorded(event, running.stream);
    event->polled = false;
  }
  if (Observer* const watching = observer()) watching->event_recorded(event, name_of(stream));
}

void note_stream_wait(cudaStream_t stream, cudaEvent_t event) {
  {
    const std::lock_guard lock(mutex);
    order().stream_waits(running.depth == 0 ? name_of(stream) : running.stream, event);
  }
  if (Observer* const watching = observer()) watching->stream_waits(name_of(stream), event);
}

void wait_for_stream(cudaStream_t stream) {
  wait([name = name_of(stream)](auto& to) { to.host_waits(name); });
}

void wait_for_event(cudaEvent_t event) {
  wait([event](auto& to) { to.host_waits_for_event(event); });
}

void wait_for_all() {
  wait([](auto& to) { to.host_waits_for_all(); });
}

bool poll_stream(cudaStream_t stream) {
  const void* const name = name_of(stream);
  {
    const std::lock_guard lock(mutex);
    if (!order().known_to_host(name) && polled_streams().insert(name).second) return false;
    polled_streams().erase(name);
  }
  wait_for_stream(stream);
  return true;
}

bool poll_event(cudaEvent_t event) {
  {
    const std::lock_guard lock(mutex);
    if (!order().event_known_to_host(event) && !std::exchange(event->polled, true)) return false;
  }
  wait_for_event(event);
  return true;
}

bool is_known_done(cudaEvent_t event) {
  const std::lock_guard lock(mutex);
  return order().event_known_to_host(event);
}

float milliseconds_between(cudaEvent_t start, cudaEvent_t end) {
  const std::lock_guard lock(mutex);
  const OrderClock* const from = order().find_event(start);
  const OrderClock* const to = order().find_event(end);
  if (from == nullptr || to == nullptr) return 0.0F;
  return std::chrono::duration<float, std::milli>(to->end - from->end).count();
}

void note_stream_end(cudaStream_t stream) {
  {
    const std::lock_guard lock(mutex);
    order().stream_ends(stream);
    polled_streams().erase(stream);
  }
  if (Observer* const watching = observer()) watching->stream_ends(stream);
}

void note_event_end(cudaEvent_t event) {
  {
    const std::lock_guard lock(mutex);
    order().event_ends(event);
  }
  if (Observer* const watching = observer()) watching->event_ends(event);
}

void forget_progress() {
  const std::lock_guard lock(mutex);
  order() = {};
}

}  // namespace simt::detail
