// The launches of a program without a GPU: functions of the CUDA runtime that note what they are
// asked for, and refuse what a GPU would refuse.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tut::test {

/// What a compiled kernel takes: of docs/tools/kernel_gate.py --resources.
struct KernelResources {
  std::size_t registers = 0, threads = 1024, shared = 0;
};
using AllResources = std::map<std::string, KernelResources>;

struct Launch {
  std::string symbol;
  dim3 grid, block;
  std::size_t dynamic = 0;   ///< bytes of shared memory
  std::size_t opted_in = 0;  ///< the most of these that were asked for; 0: nobody asked
  dim3 cluster = {1, 1, 1};
};

/// The arguments of cuTensorMapEncodeTiled, in its order, that its limits are about.
struct TensorMapRequest {
  CUtensorMapDataType type;
  cuuint32_t rank;
  std::uintptr_t address;
  const cuuint64_t* sizes;
  const cuuint64_t* strides;  ///< bytes; of all dimensions but the first
  const cuuint32_t* box;
  const cuuint32_t* steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
};

/// Why the driver refuses it, or "". Source: CUDA Driver API, "cuTensorMapEncodeTiled".
std::string refusal(const TensorMapRequest& request);

/// Why a GPU of compute capability 9.0 refuses the launch, or "".
std::string refusal(const Launch& launch, const AllResources& resources);

/// What was launched since this was last cleared.
std::vector<Launch>& launches();

/// What `refusal` is asked with; empty unless the file was read.
AllResources& all_resources();

}  // namespace tut::test
