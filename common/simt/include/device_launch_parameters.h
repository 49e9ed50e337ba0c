/// @file
/// threadIdx, blockIdx, blockDim, gridDim and warpSize.
#ifndef SIMT_DEVICE_LAUNCH_PARAMETERS_H
#define SIMT_DEVICE_LAUNCH_PARAMETERS_H
#include "simt/builtins.hpp"
#endif
