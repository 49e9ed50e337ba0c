/// @file
/// What the host may know of the work that it issued. Work is done when it is issued; to the
/// program it is under way until the host waits for it, or for what comes after it.
///
/// Time is told as on a GPU: a stream's work begins when it is issued or when what it comes after
/// is done, whichever is later, and takes as long as it took here. The host's own clock stands
/// still while it does the device's work, and moves on when it waits.
#ifndef SIMT_RUNTIME_PROGRESS_HPP
#define SIMT_RUNTIME_PROGRESS_HPP

#include "driver_types.h"
#include "stream_order.hpp"

namespace simt::detail {

/// An operation of a stream (null: the default stream) for as long as it runs. One within another,
/// a node of a graph, is part of it.
class RunningOperation {
 public:
  explicit RunningOperation(cudaStream_t stream);
  ~RunningOperation();
  RunningOperation(const RunningOperation&) = delete;
  RunningOperation& operator=(const RunningOperation&) = delete;
};

/// Which operation this host thread does now, and whether the host has waited for one.
Operation running_operation();
bool is_known_done(const Operation& operation);

/// The running operation records an event.
void note_event(cudaEvent_t event, cudaStream_t stream);
void note_stream_wait(cudaStream_t stream, cudaEvent_t event);

// The host waits for a stream, for an event, for everything.
void wait_for_stream(cudaStream_t stream);
void wait_for_event(cudaEvent_t event);
void wait_for_all();

/// The host asks whether a stream or an event is done, without waiting. What it has not waited for
/// is not ready at first, and the next time it is: asking again and again comes to an end.
bool poll_stream(cudaStream_t stream);
bool poll_event(cudaEvent_t event);

/// Has the host waited for an event?
bool is_known_done(cudaEvent_t event);

/// Milliseconds between two events.
float milliseconds_between(cudaEvent_t start, cudaEvent_t end);

void note_stream_end(cudaStream_t stream);
void note_event_end(cudaEvent_t event);
void forget_progress();

}  // namespace simt::detail

#endif
