/// @file
/// Addresses in shared memory as instructions of PTX take them.
#pragma once

namespace tut::ptx {

/// @brief The address of `p`, which points into shared memory, as a 32-bit offset into it.
///
/// Source: CUDA Programming Guide, "Address Space Conversion Functions".
__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

}  // namespace tut::ptx
