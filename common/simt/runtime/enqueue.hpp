/// @file
/// What issuing work to a stream means.
#ifndef SIMT_RUNTIME_ENQUEUE_HPP
#define SIMT_RUNTIME_ENQUEUE_HPP

#include <utility>

#include "capture.hpp"
#include "context.hpp"
#include "progress.hpp"
#include "stream.hpp"
#include "work.hpp"

namespace simt::detail {

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
