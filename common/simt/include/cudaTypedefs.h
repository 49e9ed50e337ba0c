/// @file
/// The types of pointers to the calls of the driver API that there are.
#ifndef CUDATYPEDEFS_H
#define CUDATYPEDEFS_H

#include "cuda.h"

using PFN_cuGetErrorName = decltype(&cuGetErrorName);
using PFN_cuGetErrorString = decltype(&cuGetErrorString);
using PFN_cuInit = decltype(&cuInit);
using PFN_cuDriverGetVersion = decltype(&cuDriverGetVersion);
using PFN_cuDeviceGetCount = decltype(&cuDeviceGetCount);
using PFN_cuDeviceGet = decltype(&cuDeviceGet);
using PFN_cuDeviceGetName = decltype(&cuDeviceGetName);
using PFN_cuDeviceGetAttribute = decltype(&cuDeviceGetAttribute);
using PFN_cuDeviceTotalMem = decltype(&cuDeviceTotalMem);
using PFN_cuCtxSynchronize = decltype(&cuCtxSynchronize);
using PFN_cuStreamSynchronize = decltype(&cuStreamSynchronize);
using PFN_cuMemAlloc = decltype(&cuMemAlloc);
using PFN_cuMemFree = decltype(&cuMemFree);
using PFN_cuMemcpyHtoD = decltype(&cuMemcpyHtoD);
using PFN_cuMemcpyDtoH = decltype(&cuMemcpyDtoH);
using PFN_cuMemcpyDtoD = decltype(&cuMemcpyDtoD);
using PFN_cuMemsetD8 = decltype(&cuMemsetD8);
using PFN_cuMemsetD32 = decltype(&cuMemsetD32);
using PFN_cuMemGetInfo = decltype(&cuMemGetInfo);

#endif
