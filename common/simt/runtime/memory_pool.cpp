#include <algorithm>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "device.hpp"
#include "handles.hpp"

/// A pool: it holds nothing, as freed memory is given back at once; only its settings are kept.
struct CUmemPoolHandle_st {
  int device = 0;
  std::uint64_t release_threshold = 0;
  int reuse[3] = {1, 1, 1};
  bool is_default = false;
  unsigned readers = 0;  ///< other devices that may read, and
  unsigned writers = 0;  ///< those that may write, a bit for each
};

namespace {

using simt::detail::api_call;
using simt::detail::Handles;
using simt::detail::is_device;

Handles<CUmemPoolHandle_st>& pools() {
  static auto& handles = *new Handles<CUmemPoolHandle_st>;
  return handles;
}

cudaMemPool_t default_pool(int device) {
  static cudaMemPool_t* const all = [] {
    auto* made = new cudaMemPool_t[simt::detail::kMostDevices];
    for (int i = 0; i < simt::detail::kMostDevices; ++i) {
      made[i] = pools().add({i, 0, {1, 1, 1}, true, 0, 0});
    }
    return made;
  }();
  return all[device];
}

/// The pool that cudaMallocAsync uses on each device.
cudaMemPool_t& chosen_pool(int device) {
  static cudaMemPool_t chosen[simt::detail::kMostDevices] = {};
  if (chosen[device] == nullptr) chosen[device] = default_pool(device);
  return chosen[device];
}

bool is_reuse_attribute(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies &&
         attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

bool is_usage_attribute(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolAttrReservedMemCurrent && attribute <= cudaMemPoolAttrUsedMemHigh;
}

// Runs an action on a pool that exists.
template <class Action>
cudaError_t with_pool(cudaMemPool_t pool, Action action) {
  return api_call([&] { return pools().has(pool) ? action() : cudaErrorInvalidValue; });
}

}  // namespace

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api_call([&] {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    *pool = default_pool(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api_call([&] {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    *pool = chosen_pool(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return with_pool(pool, [&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    chosen_pool(device) = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api_call([&] {
    if (pool == nullptr || properties == nullptr ||
        properties->allocType != cudaMemAllocationTypePinned ||
        properties->location.type != cudaMemLocationTypeDevice) {
      return cudaErrorInvalidValue;
    }
    if (!is_device(properties->location.id)) return cudaErrorInvalidDevice;
    *pool = pools().add({properties->location.id, 0, {1, 1, 1}, false, 0, 0});
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return with_pool(pool, [&] {
    if (pool->is_default) return cudaErrorInvalidValue;
    if (chosen_pool(pool->device) == pool) chosen_pool(pool->device) = nullptr;
    pools().remove(pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return with_pool(pool, [] { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
      pool->release_threshold = *static_cast<std::uint64_t*>(value);
    } else if (is_reuse_attribute(attribute)) {
      pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *static_cast<int*>(value);
    } else if (!is_usage_attribute(attribute)) {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
      *static_cast<std::uint64_t*>(value) = pool->release_threshold;
    } else if (is_reuse_attribute(attribute)) {
      *static_cast<int*>(value) = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
    } else if (is_usage_attribute(attribute)) {
      *static_cast<std::uint64_t*>(value) = 0;
    } else {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* accesses,
                                 std::size_t count) {
  return with_pool(pool, [&] {
    if (accesses == nullptr && count != 0) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const cudaMemAccessDesc& access = accesses[i];
      if (access.location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
      if (!is_device(access.location.id)) return cudaErrorInvalidDevice;
      const unsigned bit = 1u << access.location.id;
      // The pool's own device keeps its access.
      if (access.location.id == pool->device && access.flags != cudaMemAccessFlagsProtReadWrite) {
        return cudaErrorInvalidValue;
      }
      pool->readers = (access.flags & 1) != 0 ? pool->readers | bit : pool->readers & ~bit;
      pool->writers = (access.flags & 2) != 0 ? pool->writers | bit : pool->writers & ~bit;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  return with_pool(pool, [&] {
    if (flags == nullptr || location == nullptr || location->type != cudaMemLocationTypeDevice) {
      return cudaErrorInvalidValue;
    }
    if (!is_device(location->id)) return cudaErrorInvalidDevice;
    const bool own = location->id == pool->device;
    const bool reads = own || (pool->readers >> location->id & 1u) != 0;
    const bool writes = own || (pool->writers >> location->id & 1u) != 0;
    *flags = writes  ? cudaMemAccessFlagsProtReadWrite
             : reads ? cudaMemAccessFlagsProtRead
                     : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  const cudaError_t error = with_pool(pool, [] { return cudaSuccess; });
  return error != cudaSuccess ? error : cudaMallocAsync(pointer, size, stream);
}
