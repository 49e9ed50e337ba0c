/// @file
/// Which launches the device takes, and what is wrong with those that it refuses.
#ifndef SIMT_RUNTIME_LAUNCH_RULES_HPP
#define SIMT_RUNTIME_LAUNCH_RULES_HPP

#include "cuda_runtime_api.h"
#include "simt/launch.hpp"

namespace simt::detail {

/// The error that CUDA gives for a configuration that the device or the kernel does not allow;
/// cudaSuccess for one that they do. What is wrong with it is kept for simt_refused_launch().
cudaError_t check_config(const LaunchConfig& config, const KernelInfo& kernel);

}  // namespace simt::detail

#endif
