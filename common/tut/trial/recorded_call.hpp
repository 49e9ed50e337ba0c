#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "tut/device/stream.hpp"

namespace tut {

/// Starts work on a stream.
using StreamCall = std::function<void(cudaStream_t)>;

/// How a kernel is launched.
struct LaunchShape {
  dim3 grid, block;
};

/// A call recorded into a CUDA graph: what it starts on its stream, and nothing of it done yet.
///
/// What makes the host wait, allocates, uses the default stream or reads the host's memory cannot
/// be recorded, and is refused with a CallFailure of kind "stream" that says so. What the call
/// throws itself goes on to the caller.
class RecordedCall {
 public:
  explicit RecordedCall(const StreamCall& call);
  /// Two calls that do not wait for each other.
  RecordedCall(const StreamCall& call, const StreamCall& beside);
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;
  ~RecordedCall();

  /// The kernels that one replay launches.
  const std::vector<LaunchShape>& launches() const noexcept { return launches_; }
  /// An identifier of the kernel of each launch.
  const std::vector<const void*>& kernels() const noexcept { return kernels_; }

  /// Does what was recorded, in `stream`'s order.
  void replay(cudaStream_t stream) const;

 private:
  void record(const StreamCall& call);
  void inspect();
  void inspect_launch(cudaGraphNode_t node);

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
  std::vector<LaunchShape> launches_;
  std::vector<const void*> kernels_;
};

}  // namespace tut
