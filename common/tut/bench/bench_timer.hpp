#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <limits>

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

/// How long a GPU is kept busy before anything is measured: it takes that long to go from its idle
/// clocks to its sustained ones.
inline constexpr double WARM_UP_SECONDS = on_cpu_backend ? 0.0 : 0.3;

/// The least seconds of `call(stream)`, of several, after enough of them for a GPU's clocks.
template <class Call>
double best_seconds(Call&& call) {
  DeviceTimer timer;
  for (double spent = 0; spent < WARM_UP_SECONDS;) spent += timer.seconds(call);
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 8; ++run) best = std::min(best, timer.seconds(call));
  return best;
}

}  // namespace tut
