/// \file
/// Shared memory of the other blocks of a cluster.
///
/// Source: PTX ISA, "mapa", "ld". Needs sm_90.
#pragma once

#include "tut/ptx/shared_address.cuh"

namespace tut::ch11 {

/// The float that lies at this place of shared memory in the block of the cluster with this rank:
/// mapa.shared::cluster.u32, ld.shared::cluster.f32.
__device__ __forceinline__ float load_from_rank(const float* place, unsigned rank) {
  float value;
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %1, %2;\n"
      "ld.shared::cluster.f32 %0, [there];\n"
      "}"
      : "=f"(value)
      : "r"(ptx::shared_address(place)), "r"(rank)
      : "memory");
  return value;
}

}  // namespace tut::ch11
