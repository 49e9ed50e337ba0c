/// @file
/// cudaProfilerStart and cudaProfilerStop, which have nothing to do here.
#ifndef __CUDA_PROFILER_API_H__
#define __CUDA_PROFILER_API_H__
#include "simt/api/device.hpp"
#endif
