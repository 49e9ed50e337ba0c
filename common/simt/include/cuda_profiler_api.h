/// @file
/// cudaProfilerStart and cudaProfilerStop, which have nothing to do here.
#ifndef SIMT_CUDA_PROFILER_API_H
#define SIMT_CUDA_PROFILER_API_H
#include "simt/api/device.hpp"
#endif
