#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "tut/errors/check.hpp"

namespace tut {

/// Owns a CUDA stream. Move-only. By default it keeps CUDA's order with the default stream;
/// cudaStreamNonBlocking gives that up.
class Stream {
 public:
  explicit Stream(unsigned flags = cudaStreamDefault) {
    check(cudaStreamCreateWithFlags(&stream_, flags));
  }
  ~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }

  /// Returns when all work issued so far is done. Throws CudaError, also for errors of kernels.
  void synchronize() const { check(cudaStreamSynchronize(stream_)); }

  /// Work issued to this stream from now on waits for `event`.
  void wait(cudaEvent_t event) const { check(cudaStreamWaitEvent(stream_, event, 0)); }

  cudaStream_t get() const noexcept { return stream_; }
  operator cudaStream_t() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Owns a CUDA event. Move-only. With cudaEventDisableTiming it is cheaper and cannot measure time.
class Event {
 public:
  explicit Event(unsigned flags = cudaEventDefault) {
    check(cudaEventCreateWithFlags(&event_, flags));
  }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  /// The event happens when `stream` has finished everything issued to it so far.
  void record(cudaStream_t stream = nullptr) { check(cudaEventRecord(event_, stream)); }

  /// Returns when the event has happened.
  void synchronize() const { check(cudaEventSynchronize(event_)); }

  /// Milliseconds from `start` to `stop`; both must have been recorded and have happened.
  static float elapsed_ms(const Event& start, const Event& stop) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start.event_, stop.event_));
    return milliseconds;
  }

  cudaEvent_t get() const noexcept { return event_; }
  operator cudaEvent_t() const noexcept { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace tut
