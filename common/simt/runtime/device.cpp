#include "device.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "device_limits.hpp"

namespace simt::detail {

namespace {

thread_local int device_of_thread = 0;
std::atomic<unsigned> device_flags{cudaDeviceScheduleAuto};

int read_device_count() {
  const char* wish = std::getenv("SIMT_DEVICES");
  if (wish == nullptr || *wish == '\0') return 1;
  char* end = nullptr;
  const long count = std::strtol(wish, &end, 10);
  if (*end != '\0' || count < 1 || count > kMostDevices) {
    std::fprintf(stderr, "simt: SIMT_DEVICES is '%s'; expected a number from 1 to %d\n", wish,
                 kMostDevices);
    std::exit(1);
  }
  return static_cast<int>(count);
}

}  // namespace

int device_count() {
  static const int count = read_device_count();
  return count;
}

int current_device() { return device_of_thread; }

}  // namespace simt::detail

using simt::detail::api_call;
using simt::detail::is_device;

cudaError_t cudaGetDeviceCount(int* count) {
  return api_call([&] {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = simt::detail::device_count();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return api_call([&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = simt::detail::current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return api_call([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    simt::detail::device_of_thread = device;
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
  return api_call([&] { return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return api_call([&] {
    if (device == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return api_call([&] {
    if (count < 0 || (devices == nullptr && count != 0)) return cudaErrorInvalidValue;
    const bool valid = std::all_of(devices, devices + count, is_device);
    return valid ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return api_call([&] {
    if ((flags & ~cudaDeviceMask) != 0) return cudaErrorInvalidValue;
    simt::detail::device_flags.store(flags);
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return api_call([&] {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = simt::detail::device_flags.load() | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  if (version == nullptr) return cudaErrorInvalidValue;
  *version = simt::detail::kVersion;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaProfilerStart() {
  return api_call([] { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() {
  return api_call([] { return cudaSuccess; });
}

namespace {

constexpr char kBusId[] = "0000:%02x:00.0";

}  // namespace

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return api_call([&] {
    if (id == nullptr || length < 13) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    std::snprintf(id, static_cast<std::size_t>(length), kBusId, static_cast<unsigned>(device));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return api_call([&] {
    unsigned bus = 0;
    if (device == nullptr || id == nullptr || std::sscanf(id, kBusId, &bus) != 1) {
      return cudaErrorInvalidValue;
    }
    if (!is_device(static_cast<int>(bus))) return cudaErrorInvalidDevice;
    *device = static_cast<int>(bus);
    return cudaSuccess;
  });
}
