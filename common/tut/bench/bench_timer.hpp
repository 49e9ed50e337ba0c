#pragma once

#include <cuda_runtime.h>

#include <chrono>

#include "tut/device/backend.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"

namespace tut {

/// Times work on the device: by events on a GPU, by the clock on the wall on the CPU backend, whose
/// events mean nothing.
class DeviceTimer {
 public:
  /// Seconds that `work(stream)` takes from its start to its end.
  template <class Work>
  double seconds(Work&& work) {
    [[maybe_unused]] const auto begin = std::chrono::steady_clock::now();
    start_.record(stream_);
    work(stream_.get());
    stop_.record(stream_);
    stop_.synchronize();
    check_launch();
    if constexpr (on_cpu_backend) {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    } else {
      return 1e-3 * static_cast<double>(Event::elapsed_ms(start_, stop_));
    }
  }

 private:
  Stream stream_;
  Event start_, stop_;
};

}  // namespace tut
