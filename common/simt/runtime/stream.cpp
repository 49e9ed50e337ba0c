#include "stream.hpp"

#include <algorithm>
#include <atomic>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "device.hpp"
#include "progress.hpp"

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

}  // namespace simt::detail

using simt::detail::api_call;
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
