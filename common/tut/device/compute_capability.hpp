#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "tut/errors/check.hpp"

namespace tut {

/// The compute capability of the current device, 10 * major + minor: 90.
inline int compute_capability() {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return 10 * major + minor;
}

/// Throws std::runtime_error, "WHAT needs compute capability 8.0 or higher; this device has 7.5",
/// if `capability` is below `least`.
inline void require_compute_capability(int least, const std::string& what, int capability) {
  if (capability >= least) return;
  const auto text = [](int c) { return std::to_string(c / 10) + "." + std::to_string(c % 10); };
  throw std::runtime_error(what + " needs compute capability " + text(least) +
                           " or higher; this device has " + text(capability));
}

}  // namespace tut
