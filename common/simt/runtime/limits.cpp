#include <array>
#include <atomic>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "device.hpp"

namespace {

using simt::detail::api_call;

struct Limit {
  cudaLimit limit;
  std::size_t initial;
};

// What CUDA starts with. They are kept and given back; nothing here depends on them.
constexpr Limit kLimits[] = {{cudaLimitStackSize, 1024},
                             {cudaLimitPrintfFifoSize, 1024 * 1024},
                             {cudaLimitMallocHeapSize, 8 * 1024 * 1024},
                             {cudaLimitMaxL2FetchGranularity, 64},
                             {cudaLimitPersistingL2CacheSize, 0}};

std::array<std::atomic<std::size_t>, std::size(kLimits)>& values() {
  static auto& all = []() -> auto& {
    static std::array<std::atomic<std::size_t>, std::size(kLimits)> initial;
    for (std::size_t i = 0; i < initial.size(); ++i) initial[i] = kLimits[i].initial;
    return initial;
  }
  ();
  return all;
}

std::atomic<std::size_t>* find(cudaLimit limit) {
  for (std::size_t i = 0; i < std::size(kLimits); ++i) {
    if (kLimits[i].limit == limit) return &values()[i];
  }
  return nullptr;
}

std::atomic<int> cache_config{cudaFuncCachePreferNone};

}  // namespace

namespace simt::detail {

void reset_limits() {
  for (const Limit& limit : kLimits) *find(limit.limit) = limit.initial;
  cache_config = cudaFuncCachePreferNone;
}

}  // namespace simt::detail

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return api_call([&] {
    std::atomic<std::size_t>* found = find(limit);
    if (found == nullptr) return cudaErrorUnsupportedLimit;
    *found = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return api_call([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    const std::atomic<std::size_t>* found = find(limit);
    if (found == nullptr) return cudaErrorUnsupportedLimit;
    *value = *found;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return api_call([&] {
    cache_config = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api_call([&] {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = static_cast<cudaFuncCache>(cache_config.load());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return api_call([] { return cudaSuccess; });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return api_call([&] {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return api_call([] { return cudaSuccess; });
}
