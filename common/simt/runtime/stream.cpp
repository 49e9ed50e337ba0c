#include "stream.hpp"

#include <algorithm>
#include <atomic>

#include "cuda_runtime_api.h"
#include "device.hpp"

namespace simt::detail {

Handles<CUstream_st>& streams() {
  static auto& handles = *new Handles<CUstream_st>;
  return handles;
}

Handles<CUevent_st>& events() {
  static auto& handles = *new Handles<CUevent_st>;
  return handles;
}

bool is_default_stream(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

namespace {

constexpr int kGreatestPriority = -5;
constexpr int kLeastPriority = 0;

unsigned long long next_stream_id() {
  static std::atomic<unsigned long long> last{2};
  return ++last;
}

// Reads a property of a stream; the default streams have those of a new one.
template <class Value, class Read>
cudaError_t read_property(cudaStream_t stream, Value* value, Read read) {
  return api_call([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!is_valid_stream(stream)) return cudaErrorInvalidResourceHandle;
    static const CUstream_st initial;
    *value = read(is_default_stream(stream) ? initial : *stream);
    return cudaSuccess;
  });
}

}  // namespace

void destroy_streams() {
  streams().clear();
  events().clear();
  forget_progress();
}

bool is_valid_stream(cudaStream_t stream) {
  return is_default_stream(stream) || streams().has(stream);
}

namespace {

cudaError_t check_idle_stream(cudaStream_t stream) {
  if (!is_valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (is_default_stream(stream)) return check_legacy_stream();
  return is_capturing(stream) ? check_unsafe_call() : cudaSuccess;
}

cudaError_t check_idle_event(cudaEvent_t event) {
  if (!events().has(event)) return cudaErrorInvalidResourceHandle;
  return event->capture != nullptr ? cudaErrorCapturedEvent : cudaSuccess;
}

}  // namespace

}  // namespace simt::detail

using simt::detail::api_call;
using simt::detail::enqueue;
using simt::detail::events;
using simt::detail::streams;

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return api_call([&] {
    if (stream == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    const int clamped =
        std::clamp(priority, simt::detail::kGreatestPriority, simt::detail::kLeastPriority);
    *stream = streams().make();
    (*stream)->flags = flags;
    (*stream)->priority = clamped;
    (*stream)->device = simt::detail::current_device();
    (*stream)->id = simt::detail::next_stream_id();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api_call([&] {
    if (!streams().remove(stream)) return cudaErrorInvalidResourceHandle;
    simt::detail::note_stream_end(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api_call([&] {
    const cudaError_t error = simt::detail::check_idle_stream(stream);
    if (error == cudaSuccess) simt::detail::wait_for_stream(stream);
    return error;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api_call([&] {
    const cudaError_t error = simt::detail::check_idle_stream(stream);
    if (error != cudaSuccess) return error;
    return simt::detail::poll_stream(stream) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return simt::detail::async_call([&] {
    if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
    if (!simt::detail::is_valid_stream(stream) || !events().has(event)) {
      return cudaErrorInvalidResourceHandle;
    }
    const bool captured = event->capture != nullptr || simt::detail::is_capturing(stream);
    if (captured) return simt::detail::capture_wait(stream, event);
    simt::detail::note_stream_wait(stream, event);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned int flags) {
  return enqueue(stream, cudaGraphNodeTypeHost, [=] {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    simt::detail::wait_for_stream(stream);  // host code that a stream calls comes after it
    callback(stream, cudaSuccess, user_data);
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  return enqueue(stream, cudaGraphNodeTypeHost, [=] {
    if (function == nullptr) return cudaErrorInvalidValue;
    simt::detail::wait_for_stream(stream);  // host code that a stream calls comes after it
    function(user_data);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return simt::detail::read_property(stream, priority,
                                     [](const CUstream_st& of) { return of.priority; });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue* value) {
  return api_call([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!simt::detail::is_valid_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (simt::detail::is_default_stream(stream)) return cudaSuccess;
    if (attribute == cudaLaunchAttributePriority) stream->priority = value->priority;
    stream->attributes[attribute] = *value;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
  return simt::detail::read_property(stream, value, [=](const CUstream_st& of) {
    const auto set = of.attributes.find(attribute);
    cudaLaunchAttributeValue result =
        set == of.attributes.end() ? cudaLaunchAttributeValue{} : set->second;
    if (attribute == cudaLaunchAttributePriority) result.priority = of.priority;
    return result;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  return simt::detail::read_property(stream, flags, [](const CUstream_st& of) { return of.flags; });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return simt::detail::read_property(stream, id, [](const CUstream_st& of) { return of.id; });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return simt::detail::read_property(stream, device,
                                     [](const CUstream_st& of) { return of.device; });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api_call([&] {
    if (least != nullptr) *least = simt::detail::kLeastPriority;
    if (greatest != nullptr) *greatest = simt::detail::kGreatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, std::size_t, unsigned int) {
  return enqueue(stream, cudaGraphNodeTypeEmpty, [] { return cudaSuccess; });
}

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
