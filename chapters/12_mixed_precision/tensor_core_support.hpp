/// \file
/// What the current device's tensor cores can multiply.
#pragma once

#include "tut/device/compute_capability.hpp"

namespace tut::ch12 {

/// Whether the current device's tensor cores multiply TF32 and bfloat16. Before compute capability
/// 8.0 there is only half.
inline bool has_tf32_and_bfloat16() { return compute_capability() >= 80; }

/// Throws std::runtime_error in one line unless they do; `what` needs them.
inline void require_tf32_and_bfloat16(const char* what) {
  require_compute_capability(80, what, compute_capability());
}

}  // namespace tut::ch12
