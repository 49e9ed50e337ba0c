#include "capture.hpp"
#include "cuda_runtime_api.h"
#include "enqueue.hpp"
#include "progress.hpp"
#include "stream.hpp"

namespace simt::detail {
namespace {

cudaError_t check_idle_event(cudaEvent_t event) {
  if (!events().has(event)) return cudaErrorInvalidResourceHandle;
  return event->capture != nullptr ? cudaErrorCapturedEvent : cudaSuccess;
}

}  // namespace
}  // namespace simt::detail

using simt::detail::api_call;
using simt::detail::enqueue;
using simt::detail::events;

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return api_call([&] {
    constexpr unsigned kKnown =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (event == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    *event = events().make();
    (*event)->flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  if (!events().has(event)) return api_call([] { return cudaErrorInvalidResourceHandle; });
  if (flags > cudaEventRecordExternal) return api_call([] { return cudaErrorInvalidValue; });
  if (simt::detail::is_valid_stream(stream) && simt::detail::is_capturing(stream) &&
      flags != cudaEventRecordExternal) {
    return api_call([&] { return simt::detail::capture_record(stream, event); });
  }
  return enqueue(stream, cudaGraphNodeTypeEventRecord, [event, stream] {
    if (!events().has(event)) return cudaErrorInvalidResourceHandle;
    simt::detail::note_event(event, stream);
    event->recorded = true;
    event->capture.reset();
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api_call([&] {
    const cudaError_t error = simt::detail::check_idle_event(event);
    if (error == cudaSuccess) simt::detail::wait_for_event(event);
    return error;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api_call([&] {
    const cudaError_t error = simt::detail::check_idle_event(event);
    if (error != cudaSuccess) return error;
    return simt::detail::poll_event(event) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api_call([&] {
    if (!events().remove(event)) return cudaErrorInvalidResourceHandle;
    simt::detail::note_event_end(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api_call([&] {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    for (const cudaEvent_t event : {start, end}) {
      if (!events().has(event) || !event->recorded ||
          (event->flags & cudaEventDisableTiming) != 0) {
        return cudaErrorInvalidResourceHandle;
      }
    }
    const bool done = simt::detail::is_known_done(start) && simt::detail::is_known_done(end);
    if (!done) return cudaErrorNotReady;
    *milliseconds = simt::detail::milliseconds_between(start, end);
    return cudaSuccess;
  });
}
