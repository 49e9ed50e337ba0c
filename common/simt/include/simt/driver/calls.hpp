/// @file
/// Calls of the driver API, made of the runtime's.
#ifndef SIMT_DRIVER_CALLS_HPP
#define SIMT_DRIVER_CALLS_HPP

#include "cuda_runtime_api.h"
#include "simt/driver/types.hpp"

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** name);
CUresult cuGetErrorString(CUresult error, const char** text);

CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int* version);
CUresult cuDeviceGetCount(int* count);
CUresult cuDeviceGet(CUdevice* device, int ordinal);
CUresult cuDeviceGetName(char* name, int length, CUdevice device);
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device);

CUresult cuCtxSynchronize();
CUresult cuStreamSynchronize(CUstream stream);

CUresult cuMemAlloc(CUdeviceptr* pointer, std::size_t size);
CUresult cuMemFree(CUdeviceptr pointer);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t size);
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t size);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t size);
CUresult cuMemsetD8(CUdeviceptr pointer, unsigned char value, std::size_t count);
CUresult cuMemsetD32(CUdeviceptr pointer, unsigned int value, std::size_t count);
CUresult cuMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);

}  // extern "C"

[[gnu::error("loading modules is not supported on the CPU backend")]] CUresult cuModuleLoad(...);
[[gnu::error("loading modules is not supported on the CPU backend")]] CUresult cuModuleLoadData(
    ...);
[[gnu::error("loading modules is not supported on the CPU backend")]] CUresult cuModuleLoadDataEx(
    ...);
[[gnu::error("launching by the driver API is not supported on the CPU backend")]] CUresult
cuLaunchKernel(...);
[[gnu::error("contexts of the driver API are not supported on the CPU backend")]] CUresult
cuCtxCreate(...);
[[gnu::error("virtual memory management is not supported on the CPU backend")]] CUresult
cuMemCreate(...);

#endif
