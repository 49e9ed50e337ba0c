#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "device_limits.hpp"
#include "observer.hpp"
#include "shared_use.hpp"
#include "simt/launch.hpp"
#include "stream.hpp"

namespace simt {

namespace {

/// What `kernel_ref` has told of the kernels, by the address of their functions.
struct KnownKernel {
  detail::Invoker invoke = nullptr;
  KernelInfo* info = nullptr;
};

std::mutex kernels_mutex;

std::unordered_map<const void*, KnownKernel>& kernels() {
  static auto& all = *new std::unordered_map<const void*, KnownKernel>;
  return all;
}

}  // namespace

namespace detail {

void register_kernel(const void* function, Invoker invoker) {
  {
    const std::lock_guard lock(kernels_mutex);
    if (kernels().count(function) != 0) return;
  }
  const Probe probe;
  invoker(function, nullptr);
  const std::lock_guard lock(kernels_mutex);
  kernels()[function] = {invoker, probe.found()};
}

namespace {

KnownKernel find_kernel(const void* function) {
  const std::lock_guard lock(kernels_mutex);
  const auto found = kernels().find(function);
  return found == kernels().end() ? KnownKernel{} : found->second;
}

}  // namespace

std::size_t blocks_per_multiprocessor(std::size_t threads, std::size_t dynamic_shared,
                                      const KernelInfo& kernel) {
  if (threads == 0 || threads > kThreadsPerBlock) return 0;
  if (kernel.max_threads != 0 && threads > static_cast<std::size_t>(kernel.max_threads)) return 0;
  const std::size_t shared = dynamic_shared + kernel.static_shared + kSharedReserved;
  if (exceeds_shared(kernel, kernel.static_shared, dynamic_shared)) return 0;
  const std::size_t warps = (threads + kWarpSize - 1) / kWarpSize;
  return std::min({std::size_t{kBlocksPerMultiprocessor},
                   kThreadsPerMultiprocessor / kWarpSize / warps,
                   kSharedPerMultiprocessor / shared});
}

std::size_t resident_blocks(std::size_t threads, std::size_t dynamic_shared,
                            const KernelInfo& kernel) {
  return kMultiprocessors * blocks_per_multiprocessor(threads, dynamic_shared, kernel);
}

}  // namespace detail

KernelInfo* kernel_info(const void* function) { return detail::find_kernel(function).info; }

}  // namespace simt

namespace {

using simt::KernelInfo;
using simt::LaunchConfig;
using simt::detail::api_call;

// Calls a function with a kernel's facts; error 98 if the pointer is no kernel.
template <class Action>
cudaError_t with_kernel(const void* function, Action action) {
  return api_call([&] {
    KernelInfo* kernel = simt::kernel_info(function);
    return kernel == nullptr ? cudaErrorInvalidDeviceFunction : action(*kernel);
  });
}

// Launches; what is wrong with the configuration becomes the result as well as the last error.
cudaError_t launch(const void* function, const LaunchConfig& config, void** arguments) {
  const simt::KnownKernel kernel = simt::detail::find_kernel(function);
  if (kernel.info == nullptr) {
    return simt::detail::async_call([] { return cudaErrorInvalidDeviceFunction; });
  }
  simt::detail::configure(config);
  kernel.invoke(function, arguments);
  if (simt::detail::Observer* watching = simt::detail::observer()) watching->asked_for_error();
  return simt::detail::launch_error();
}

}  // namespace

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return launch(function, {grid, block, shared_bytes, stream, false}, arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
  return launch(function, {grid, block, shared_bytes, stream, true}, arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  if (config == nullptr) return api_call([] { return cudaErrorInvalidValue; });
  bool cooperative = false;
  uint3 cluster{1, 1, 1};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) {
      cooperative = attribute.val.cooperative != 0;
    } else if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& dims = attribute.val.clusterDim;
      cluster = {dims.x, dims.y, dims.z};
    }
  }
  return launch(function,
                {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream,
                 cooperative, cluster},
                arguments);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return with_kernel(function, [&](const KernelInfo& kernel) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = {};
    attributes->sharedSizeBytes = kernel.static_shared;
    attributes->maxThreadsPerBlock = kernel.max_threads != 0
                                         ? kernel.max_threads
                                         : static_cast<int>(simt::detail::kThreadsPerBlock);
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(simt::detail::dynamic_limit(kernel));
    attributes->preferredShmemCarveout = kernel.carveout;
    attributes->requiredClusterWidth = static_cast<int>(kernel.cluster.x);
    attributes->requiredClusterHeight = static_cast<int>(kernel.cluster.y);
    attributes->requiredClusterDepth = static_cast<int>(kernel.cluster.z);
    attributes->nonPortableClusterSizeAllowed = kernel.large_clusters ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_kernel(function, [&](KernelInfo& kernel) {
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
      if (value < 0 ||
          static_cast<std::size_t>(value) + kernel.static_shared > simt::detail::kSharedOptIn) {
        return cudaErrorInvalidValue;
      }
      kernel.requested_dynamic = static_cast<std::size_t>(value);
      return cudaSuccess;
    }
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      kernel.carveout = value;
      return cudaSuccess;
    }
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
      kernel.large_clusters = value != 0;
      return cudaSuccess;
    }
    const bool known = attribute > cudaFuncAttributePreferredSharedMemoryCarveout &&
                       attribute < cudaFuncAttributeMax;
    return known ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return with_kernel(function, [](const KernelInfo&) { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return with_kernel(function, [](const KernelInfo&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return with_kernel(function, [&](const KernelInfo& kernel) {
    if (name == nullptr) return cudaErrorInvalidValue;
    *name = kernel.name;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int block_size,
                                                                   std::size_t dynamic_shared,
                                                                   unsigned int flags) {
  return with_kernel(function, [&](const KernelInfo& kernel) {
    if (blocks == nullptr || block_size <= 0 || flags > cudaOccupancyDisableCachingOverride) {
      return cudaErrorInvalidValue;
    }
    *blocks = static_cast<int>(simt::detail::blocks_per_multiprocessor(
        static_cast<std::size_t>(block_size), dynamic_shared, kernel));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_size,
                                                          std::size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, block_size, dynamic_shared, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* dynamic_shared,
                                                      const void* function, int blocks,
                                                      int block_size) {
  return with_kernel(function, [&](const KernelInfo& kernel) {
    if (dynamic_shared == nullptr || blocks <= 0 || block_size <= 0) return cudaErrorInvalidValue;
    const std::size_t share =
        simt::detail::kSharedPerMultiprocessor / static_cast<std::size_t>(blocks);
    const std::size_t taken = simt::detail::kSharedReserved + kernel.static_shared;
    *dynamic_shared =
        share < taken ? 0 : std::min(share - taken, simt::detail::dynamic_limit(kernel));
    return cudaSuccess;
  });
}
