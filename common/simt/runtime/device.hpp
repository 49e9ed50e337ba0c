/// @file
/// Which of the simulated devices a host thread uses.
#ifndef SIMT_RUNTIME_DEVICE_HPP
#define SIMT_RUNTIME_DEVICE_HPP

namespace simt::detail {

/// SIMT_DEVICES, 1 if unset: how many devices there are. All of them are this machine.
int device_count();

/// The device of this host thread.
int current_device();

inline constexpr int kMostDevices = 16;

/// Puts the limits of cudaDeviceSetLimit back to what they were.
void reset_limits();

inline bool is_device(int device) { return device >= 0 && device < device_count(); }

}  // namespace simt::detail

#endif
