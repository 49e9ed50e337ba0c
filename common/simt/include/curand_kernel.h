/// @file
/// cuRAND in kernels: XORWOW, Philox4x32-10 and MRG32k3a with their uniform, normal and log-normal
/// numbers. What is not declared here is not supported.
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "curand.h"
#include "simt/curand/distributions.hpp"
#include "simt/curand/states.hpp"

#endif
