/// @file
/// Streams and events: who they are, and what issuing work to a stream means.
#ifndef SIMT_RUNTIME_STREAM_HPP
#define SIMT_RUNTIME_STREAM_HPP

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "context.hpp"
#include "driver_types.h"
#include "handles.hpp"
#include "progress.hpp"
#include "work.hpp"

namespace simt::detail {
struct Capture;
}

/// A stream: only its properties, as it never has work left.
struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  int device = 0;
  unsigned long long id = 0;
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes;  ///< those that were set

  // While it captures: the capture, and the nodes that the next one comes after.
  std::shared_ptr<simt::detail::Capture> capture;
  std::vector<CUgraphNode_st*> frontier;
};

struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  bool polled = false;  ///< cudaEventQuery has said "not ready" since

  // If it was last recorded in a capturing stream: that capture, and the nodes before the record.
  std::shared_ptr<simt::detail::Capture> capture;
  std::vector<CUgraphNode_st*> frontier;
};

namespace simt::detail {

Handles<CUstream_st>& streams();
Handles<CUevent_st>& events();

/// Destroys all streams and events.
void destroy_streams();

/// True for null and the two other names of default streams.
bool is_default_stream(cudaStream_t stream);

/// True for default streams and every stream that has not been destroyed.
bool is_valid_stream(cudaStream_t stream);

/// True while a valid stream only records work, for a graph.
bool is_capturing(cudaStream_t stream);

/// Adds work to the graph that a stream records.
cudaError_t capture(cudaStream_t stream, Work work);

/// Captures a record of an event, or a wait for one.
cudaError_t capture_record(cudaStream_t stream, cudaEvent_t event);
cudaError_t capture_wait(cudaStream_t stream, cudaEvent_t event);

/// Error 906 (and the captures are invalid from then on) if a stream captures that the legacy
/// default stream would have to wait for.
cudaError_t check_legacy_stream();

/// Error 900 (and the captures are invalid from then on) if a capture forbids calls that might make
/// streams wait for each other.
cudaError_t check_unsafe_call();

/// Work that was issued to a stream: done now, as streams are eager, or recorded if the stream
/// captures; then the graph will do it.
inline cudaError_t enqueue(cudaStream_t stream, Work work,
                           const char* name = __builtin_FUNCTION()) {
  const auto issue = [&] {
    if (!is_valid_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (is_capturing(stream)) return capture(stream, std::move(work));
    if (is_default_stream(stream)) {
      const cudaError_t error = check_legacy_stream();
      if (error != cudaSuccess) return error;
    }
    const RunningOperation running(stream);
    return work.run();
  };
  return async_call(issue, name);
}
template <class Action>
cudaError_t enqueue(cudaStream_t stream, cudaGraphNodeType type, Action&& action,
                    const char* name = __builtin_FUNCTION()) {
  return enqueue(stream, Work{type, std::forward<Action>(action), {}}, name);
}

}  // namespace simt::detail

#endif
