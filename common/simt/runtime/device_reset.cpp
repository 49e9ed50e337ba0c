// The calls that concern all that a device has: its streams, its memory, its errors.
#include "capture.hpp"
#include "context.hpp"
#include "cuda_runtime_api.h"
#include "device.hpp"
#include "memory.hpp"
#include "progress.hpp"
#include "stream.hpp"

using simt::detail::api_call;

cudaError_t cudaDeviceReset() {
  simt::detail::clear_sticky_error();
  simt::detail::Memory::instance().free_device(simt::detail::current_device());
  simt::detail::destroy_streams();
  simt::detail::reset_limits();
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return api_call([] {
    simt::detail::wait_for_all();
    return simt::detail::check_unsafe_call();
  });
}
