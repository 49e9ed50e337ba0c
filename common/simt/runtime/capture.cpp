#include "capture.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "graph.hpp"
#include "interface.hpp"
#include "observer.hpp"
#include "stream.hpp"

namespace simt::detail {

/// One capture: it begins with one stream, and others join by waiting for events of it.
struct Capture {
  cudaGraph_t graph = nullptr;
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalid = false;
  bool owns_graph = true;  ///< false: the graph was there before
  std::vector<cudaStream_t> joined;
  std::vector<const CUgraphNode_st*> ends;  ///< scratch of cudaStreamEndCapture
};

namespace {

std::mutex captures_mutex;
std::atomic<unsigned> capture_count{0};

std::vector<std::shared_ptr<Capture>>& captures() {
  static auto& all = *new std::vector<std::shared_ptr<Capture>>;
  return all;
}

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

// What ended a capture before its time, first of all.
std::atomic<cudaError_t> first_error{cudaSuccess};
std::atomic<const char*> first_call{nullptr};  // and the call that did

cudaError_t end_early(Capture& capture, cudaError_t error) {
  if (!capture.invalid) {
    first_error.store(error);
    const char* const call = NamedCall::name();
    first_call.store(call);
    const bool by_launch = call == nullptr || !std::string_view(call).starts_with("cuda");
    if (Observer* watching = observer()) watching->capture_broken(by_launch);
  }
  capture.invalid = true;
  return error;
}

// Invalidates the captures that a predicate picks; `error` if there are any.
template <class Predicate>
cudaError_t invalidate_if(Predicate predicate, cudaError_t error) {
  if (capture_count.load(std::memory_order_relaxed) == 0) return cudaSuccess;
  const std::lock_guard lock(captures_mutex);
  cudaError_t result = cudaSuccess;
  for (const auto& capture : captures()) {
    if (!predicate(*capture)) continue;
    result = end_early(*capture, error);
  }
  return result;
}

void join(cudaStream_t stream, const std::shared_ptr<Capture>& capture) {
  stream->capture = capture;
  stream->frontier.clear();
  capture->joined.push_back(stream);
}

void add_to_frontier(cudaStream_t stream, const std::vector<CUgraphNode_st*>& nodes) {
  for (CUgraphNode_st* node : nodes) {
    if (std::find(stream->frontier.begin(), stream->frontier.end(), node) ==
        stream->frontier.end()) {
      stream->frontier.push_back(node);
    }
  }
}

// True if every node of a joined stream's end comes before the origin's end.
bool all_merged(const Capture& capture) {
  std::vector<const CUgraphNode_st*> reached(capture.origin->frontier.begin(),
                                             capture.origin->frontier.end());
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const CUgraphNode_st* before : reached[i]->dependencies) {
      if (std::find(reached.begin(), reached.end(), before) == reached.end()) {
        reached.push_back(before);
      }
    }
  }
  return std::all_of(capture.joined.begin(), capture.joined.end(), [&](cudaStream_t stream) {
    if (!streams().has(stream)) return true;  // destroyed meanwhile
    return std::all_of(stream->frontier.begin(), stream->frontier.end(), [&](auto* node) {
      return std::find(reached.begin(), reached.end(), node) != reached.end();
    });
  });
}

void end(const std::shared_ptr<Capture>& capture) {
  for (cudaStream_t stream : capture->joined) {
    if (!streams().has(stream)) continue;
    stream->capture.reset();
    stream->frontier.clear();
  }
  const std::lock_guard lock(captures_mutex);
  auto& all = captures();
  all.erase(std::find(all.begin(), all.end(), capture));
  capture_count.store(static_cast<unsigned>(all.size()));
}

}  // namespace

bool is_capturing(cudaStream_t stream) {
  return capture_count.load(std::memory_order_relaxed) != 0 && !is_default_stream(stream) &&
         stream->capture != nullptr;
}

cudaError_t capture(cudaStream_t stream, Work work) {
  Capture& capture = *stream->capture;
  if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
  stream->frontier = {add_node(*capture.graph, std::move(work), stream->frontier)};
  return cudaSuccess;
}

cudaError_t capture_record(cudaStream_t stream, cudaEvent_t event) {
  if (stream->capture->invalid) return cudaErrorStreamCaptureInvalidated;
  event->capture = stream->capture;
  event->frontier = stream->frontier;
  return cudaSuccess;
}

cudaError_t capture_wait(cudaStream_t stream, cudaEvent_t event) {
  if (event->capture == nullptr || event->capture->invalid) {
    if (is_capturing(stream)) {
      return end_early(*stream->capture, cudaErrorStreamCaptureIsolation);
    }
    return cudaErrorStreamCaptureInvalidated;
  }
  if (is_default_stream(stream)) return cudaErrorStreamCaptureImplicit;
  if (stream->capture == nullptr) {
    join(stream, event->capture);
  } else if (stream->capture != event->capture) {
    end_early(*event->capture, cudaErrorStreamCaptureMerge);
    return end_early(*stream->capture, cudaErrorStreamCaptureMerge);
  }
  add_to_frontier(stream, event->frontier);
  return cudaSuccess;
}

cudaError_t check_legacy_stream() {
  return invalidate_if(
      [](const Capture& capture) {
        return std::any_of(capture.joined.begin(), capture.joined.end(), [](cudaStream_t stream) {
          return streams().has(stream) && (stream->flags & cudaStreamNonBlocking) == 0;
        });
      },
      cudaErrorStreamCaptureImplicit);
}

cudaError_t check_unsafe_call() {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  return invalidate_if(
      [](const Capture& capture) {
        const bool own = capture.thread == std::this_thread::get_id();
        return capture.mode == cudaStreamCaptureModeGlobal ||
               (capture.mode == cudaStreamCaptureModeThreadLocal && own);
      },
      cudaErrorStreamCaptureUnsupported);
}

}  // namespace simt::detail

using simt::detail::api_call;
using simt::detail::Capture;

namespace {

// Begins a capture; `make_graph(capture)` says what it adds to.
template <class MakeGraph>
cudaError_t begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode, MakeGraph make_graph) {
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) {
    return cudaErrorInvalidValue;
  }
  if (!simt::detail::is_valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (simt::detail::is_default_stream(stream)) return cudaErrorStreamCaptureUnsupported;
  if (stream->capture != nullptr) return cudaErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  simt::detail::first_error.store(cudaSuccess);
  const cudaError_t error = make_graph(*capture);
  if (error != cudaSuccess) return error;
  capture->origin = stream;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  simt::detail::join(stream, capture);
  const std::lock_guard lock(simt::detail::captures_mutex);
  simt::detail::captures().push_back(capture);
  ++simt::detail::capture_count;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return api_call([&] {
    return begin_capture(stream, mode,
                         [](Capture& capture) { return cudaGraphCreate(&capture.graph, 0); });
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, std::size_t count,
                                          cudaStreamCaptureMode mode) {
  return api_call([&] {
    if (!simt::detail::graphs().has(graph) || (count != 0 && dependencies == nullptr)) {
      return cudaErrorInvalidValue;
    }
    const cudaError_t error = begin_capture(stream, mode, [&](Capture& capture) {
      capture.graph = graph;
      capture.owns_graph = false;
      return cudaSuccess;
    });
    if (error == cudaSuccess) stream->frontier.assign(dependencies, dependencies + count);
    return error;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                std::size_t count, unsigned int flags) {
  return api_call([&] {
    if (!simt::detail::is_valid_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (!simt::detail::is_capturing(stream)) return cudaErrorIllegalState;
    if (flags > cudaStreamSetCaptureDependencies || (count != 0 && dependencies == nullptr)) {
      return cudaErrorInvalidValue;
    }
    const std::vector<CUgraphNode_st*> nodes(dependencies, dependencies + count);
    if (flags == cudaStreamSetCaptureDependencies) stream->frontier.clear();
    simt::detail::add_to_frontier(stream, nodes);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*, std::size_t count,
                                                unsigned int flags) {
  return cudaStreamUpdateCaptureDependencies(stream, dependencies, count, flags);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return api_call([&] {
    if (graph != nullptr) *graph = nullptr;
    if (!simt::detail::is_valid_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (!simt::detail::is_capturing(stream)) return cudaErrorIllegalState;
    const std::shared_ptr<Capture> capture = stream->capture;
    if (graph == nullptr && capture->owns_graph) return cudaErrorInvalidValue;
    if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
    if (capture->mode != cudaStreamCaptureModeRelaxed &&
        capture->thread != std::this_thread::get_id()) {
      return cudaErrorStreamCaptureWrongThread;
    }
    cudaError_t error = cudaSuccess;
    if (capture->invalid) {
      error = cudaErrorStreamCaptureInvalidated;
    } else if (!simt::detail::all_merged(*capture)) {
      error = cudaErrorStreamCaptureUnjoined;
    }
    simt::detail::end(capture);
    if (error == cudaSuccess) {
      if (graph != nullptr) *graph = capture->graph;
    } else if (capture->owns_graph) {
      simt::detail::graphs().remove(capture->graph);
    }
    return error;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges,
                                     std::size_t* dependency_count) {
  return api_call([&] {
    if (status == nullptr) return cudaErrorInvalidValue;
    if (!simt::detail::is_valid_stream(stream)) return cudaErrorInvalidResourceHandle;
    *status = cudaStreamCaptureStatusNone;
    if (!simt::detail::is_capturing(stream)) return cudaSuccess;
    const Capture& capture = *stream->capture;
    *status = capture.invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    if (id != nullptr) *id = capture.graph->id;
    if (graph != nullptr) *graph = capture.graph;
    if (dependencies != nullptr) *dependencies = stream->frontier.data();
    if (edges != nullptr) *edges = nullptr;
    if (dependency_count != nullptr) *dependency_count = stream->frontier.size();
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api_call([&] {
    if (mode == nullptr) return cudaErrorInvalidValue;
    std::swap(*mode, simt::detail::thread_mode);
    return cudaSuccess;
  });
}

cudaError_t simt_capture_error() { return simt::detail::first_error.load(); }

const char* simt_capture_call() { return simt::detail::first_call.load(); }
