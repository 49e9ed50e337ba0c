#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "tut/device/stream.hpp"
#include "tut/matrix/host_matrix.hpp"

/// What the chapters' demos share.
namespace tut {

/// The shortest time that `work` takes on the device, in ms, of so many runs in the default stream.
inline float best_ms(const std::function<void()>& work, int runs = 5) {
  float best = INFINITY;
  for (int run = 0; run < runs; ++run) {
    Event start, stop;
    start.record();
    work();
    stop.record();
    stop.synchronize();
    best = std::min(best, Event::elapsed_ms(start, stop));
  }
  return best;
}

/// The largest difference between two elements in the same place, or NaN if there is one. The
/// vectors are of one length.
inline double largest_difference(const std::vector<float>& x, const std::vector<float>& y) {
  double largest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = std::abs(static_cast<double>(x[i]) - y[i]);
    if (std::isnan(difference)) return difference;
    largest = std::max(largest, difference);
  }
  return largest;
}

/// The same of two matrices of one shape.
inline double largest_difference(const HostMatrix<float>& x, const HostMatrix<float>& y) {
  double largest = 0.0;
  for (int r = 0; r < x.rows(); ++r) {
    for (int c = 0; c < x.cols(); ++c) {
      const double difference = std::abs(static_cast<double>(x(r, c)) - y(r, c));
      if (std::isnan(difference)) return difference;
      largest = std::max(largest, difference);
    }
  }
  return largest;
}

}  // namespace tut
