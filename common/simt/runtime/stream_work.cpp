// What is issued to a stream, and waiting for it.
#include "capture.hpp"
#include "cuda_runtime_api.h"
#include "enqueue.hpp"
#include "progress.hpp"
#include "stream.hpp"

namespace simt::detail {
namespace {

cudaError_t check_idle_stream(cudaStream_t stream) {
  if (!is_valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (is_default_stream(stream)) return check_legacy_stream();
  return is_capturing(stream) ? check_unsafe_call() : cudaSuccess;
}

}  // namespace
}  // namespace simt::detail

using simt::detail::api_call;
using simt::detail::enqueue;
using simt::detail::events;

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

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, std::size_t, unsigned int) {
  return enqueue(stream, cudaGraphNodeTypeEmpty, [] { return cudaSuccess; });
}
