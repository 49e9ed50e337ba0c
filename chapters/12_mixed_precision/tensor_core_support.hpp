/// \file
/// What the current device's tensor cores can multiply.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "tut/check.hpp"
#include "tut/source_location.hpp"

namespace tut::ch12 {

/// The compute capability of the current device, 10 * major + minor.
inline int compute_capability() {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return 10 * major + minor;
}

/// Whether the current device's tensor cores multiply TF32 and bfloat16. Before compute capability
/// 8.0 there is only half.
inline bool has_tf32_and_bfloat16() { return compute_capability() >= 80; }

/// Throws std::runtime_error in one line unless they do; `what` needs them.
inline void require_tf32_and_bfloat16(const char* what,
                                      const SourceLocation& where = SourceLocation::current()) {
  const int capability = compute_capability();
  if (capability >= 80) return;
  throw std::runtime_error(std::string(what) +
                           " needs compute capability 8.0 or higher; this device has " +
                           std::to_string(capability / 10) + "." + std::to_string(capability % 10) +
                           " (" + where.file_name() + ":" + std::to_string(where.line()) + ")");
}

}  // namespace tut::ch12
