/// @file
/// What lets clangd follow CUDA sources: `-include simt/clangd.hpp` (see docs/cpu_backend.md).
/// clang knows `<<<>>>` in its CUDA mode only, where it minds which side a function is for. Here
/// all are for both. The standard headers come first, but for what the runtime's headers overload.
#pragma once

// clang has one of its own, for the device.
#define __syncthreads simt_syncthreads
// For the wrappers of standard headers that clang brings for CUDA.
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#include <cstdlib>
#include <exception>
#include <new>
#pragma clang force_cuda_host_device begin
#include <algorithm>
#include <cmath>
#include <complex>
#undef __host__
#undef __device__

#include <cuda_runtime.h>
/// What clang makes of a launch.
int __cudaPushCallConfiguration(dim3 grid, dim3 block, unsigned long shared = 0,
                                void* stream = nullptr);

#define __global__ __attribute__((global))
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__
