#pragma once

#include <cuda_runtime.h>

#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"

namespace tut {

/// A stream on which CUDA refuses every launch, as cudaErrorStreamCaptureInvalidated: its capture
/// was broken by what no capture allows.
class RefusingStream {
 public:
  RefusingStream() {
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    cudaStreamSynchronize(stream_);
    cudaGetLastError();
  }
  RefusingStream(const RefusingStream&) = delete;
  RefusingStream& operator=(const RefusingStream&) = delete;
  ~RefusingStream() {
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream_, &graph);
    cudaGetLastError();
  }

  operator cudaStream_t() const { return stream_; }

 private:
  Stream stream_;
};

}  // namespace tut
