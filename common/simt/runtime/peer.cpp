#include <atomic>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "device.hpp"

namespace {

using simt::detail::api_call;
using simt::detail::current_device;
using simt::detail::is_device;

// Bit p of peers[d]: device d may use the memory of device p.
std::atomic<unsigned> peers[simt::detail::kMostDevices];

}  // namespace

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return api_call([&] {
    if (can_access == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device) || !is_device(peer)) return cudaErrorInvalidDevice;
    *can_access = device != peer ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device,
                                      int peer) {
  return api_call([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device) || !is_device(peer) || device == peer) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevP2PAttrAccessSupported:
      case cudaDevP2PAttrNativeAtomicSupported:
        *value = 1;
        return cudaSuccess;
      case cudaDevP2PAttrPerformanceRank:
      case cudaDevP2PAttrCudaArrayAccessSupported:
        *value = 0;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return api_call([&] {
    if (flags != 0) return cudaErrorInvalidValue;
    if (!is_device(peer) || peer == current_device()) return cudaErrorInvalidDevice;
    const unsigned bit = 1U << peer;
    const unsigned before = peers[current_device()].fetch_or(bit);
    return (before & bit) != 0 ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api_call([&] {
    if (!is_device(peer)) return cudaErrorInvalidDevice;
    const unsigned bit = 1U << peer;
    const unsigned before = peers[current_device()].fetch_and(~bit);
    return (before & bit) != 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t size) {
  if (!is_device(to_device) || !is_device(from_device)) {
    return api_call([] { return cudaErrorInvalidDevice; });
  }
  return cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t size, cudaStream_t stream) {
  if (!is_device(to_device) || !is_device(from_device)) {
    return api_call([] { return cudaErrorInvalidDevice; });
  }
  return cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, stream);
}
