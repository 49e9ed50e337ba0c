#pragma once

#include <cuda_runtime.h>

#include <exception>
#include <string>

#include "tut/check.hpp"
#include "tut/outcome.hpp"
#include "tut/stream.hpp"

/// What the tests of this chapter's exercises share.
namespace tut::ch16 {

/// A call recorded into a CUDA graph, to be replayed. A call that makes the host wait, or reads a
/// result there, cannot be recorded.
class Recorded {
 public:
  template <class Call>
  explicit Recorded(const Call& call) {
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    try {
      call(stream_.get());
    } catch (const std::exception& error) {
      reason_ = error.what();
    }
    const cudaError_t end = cudaStreamEndCapture(stream_, &graph_);
    if (end != cudaSuccess && reason_.empty()) reason_ = cudaGetErrorString(end);
    cudaGetLastError();  // told below, not by the next call
    if (reason_.empty()) check(cudaGraphInstantiate(&ready_, graph_, 0));
  }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  ~Recorded() {
    if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }

  /// Whether it could be recorded.
  Outcome outcome() const {
    if (reason_.empty()) return {};
    return failure("values",
                   "the call cannot be recorded into a CUDA graph, as it can where the "
                   "host does not wait: " +
                       reason_);
  }

  /// Runs what was recorded, to its end.
  void replay() const {
    check(cudaGraphLaunch(ready_, stream_));
    stream_.synchronize();
  }

 private:
  Stream stream_{cudaStreamNonBlocking};
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
  std::string reason_;
};

}  // namespace tut::ch16
