/// @file
/// threadIdx, blockIdx, blockDim, gridDim and warpSize.
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#include "simt/builtins.hpp"
#endif
