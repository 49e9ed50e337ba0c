// The driver API as far as the runtime's functions carry it.
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "cuda.h"

namespace {

struct ErrorName {
  CUresult error;
  const char* name;
};

constexpr ErrorName kErrorNames[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
    {CUDA_ERROR_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
    {CUDA_ERROR_INVALID_SOURCE, "CUDA_ERROR_INVALID_SOURCE"},
    {CUDA_ERROR_FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND"},
    {CUDA_ERROR_OPERATING_SYSTEM, "CUDA_ERROR_OPERATING_SYSTEM"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
    {CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
    {CUDA_ERROR_ASSERT, "CUDA_ERROR_ASSERT"},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    {CUDA_ERROR_NOT_PERMITTED, "CUDA_ERROR_NOT_PERMITTED"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"},
};

/// The driver's calls leave no error for cudaGetLastError, unless it stays anyway.
CUresult result_of(cudaError_t error) {
  if (error != cudaSuccess) cudaGetLastError();
  return static_cast<CUresult>(error);
}

void* to_pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

template <class T>
CUresult fill(CUdeviceptr address, T value, std::size_t count) {
  if (address % sizeof(T) != 0) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = result_of(cudaMemset(to_pointer(address), 0, count * sizeof(T)));
  if (result == CUDA_SUCCESS) std::fill_n(static_cast<T*>(to_pointer(address)), count, value);
  return result;
}

}  // namespace

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto* found = std::find_if(std::begin(kErrorNames), std::end(kErrorNames),
                                   [=](const ErrorName& known) { return known.error == error; });
  *name = found == std::end(kErrorNames) ? nullptr : found->name;
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  const char* name = nullptr;
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool known = cuGetErrorName(error, &name) == CUDA_SUCCESS;
  *text = known ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuInit(unsigned int flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult cuDriverGetVersion(int* version) { return result_of(cudaDriverGetVersion(version)); }

CUresult cuDeviceGetCount(int* count) { return result_of(cudaGetDeviceCount(count)); }

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  int count = 0;
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaGetDeviceCount(&count);
  if (ordinal < 0 || ordinal >= count) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  cudaDeviceProp properties{};
  if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = result_of(cudaGetDeviceProperties(&properties, device));
  if (result == CUDA_SUCCESS) {
    std::snprintf(name, static_cast<std::size_t>(length), "%s", properties.name);
  }
  return result;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return result_of(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  cudaDeviceProp properties{};
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = result_of(cudaGetDeviceProperties(&properties, device));
  if (result == CUDA_SUCCESS) *bytes = properties.totalGlobalMem;
  return result;
}

CUresult cuCtxSynchronize() { return result_of(cudaDeviceSynchronize()); }

CUresult cuStreamSynchronize(CUstream stream) { return result_of(cudaStreamSynchronize(stream)); }

CUresult cuMemAlloc(CUdeviceptr* pointer, std::size_t size) {
  if (pointer == nullptr || size == 0) return CUDA_ERROR_INVALID_VALUE;
  void* memory = nullptr;
  const CUresult result = result_of(cudaMalloc(&memory, size));
  if (result == CUDA_SUCCESS) *pointer = reinterpret_cast<CUdeviceptr>(memory);
  return result;
}

CUresult cuMemFree(CUdeviceptr pointer) { return result_of(cudaFree(to_pointer(pointer))); }

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t size) {
  return result_of(cudaMemcpy(to_pointer(to), from, size, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t size) {
  return result_of(cudaMemcpy(to, to_pointer(from), size, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t size) {
  return result_of(cudaMemcpy(to_pointer(to), to_pointer(from), size, cudaMemcpyDeviceToDevice));
}

CUresult cuMemsetD8(CUdeviceptr pointer, unsigned char value, std::size_t count) {
  return fill(pointer, value, count);
}

CUresult cuMemsetD32(CUdeviceptr pointer, unsigned int value, std::size_t count) {
  return fill(pointer, value, count);
}

CUresult cuMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return result_of(cudaMemGetInfo(free_bytes, total_bytes));
}
