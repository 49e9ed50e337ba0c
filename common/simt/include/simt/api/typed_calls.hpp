/// @file
/// The templates of cuda_runtime.h: typed pointers, symbols by name, kernels by name.
#ifndef SIMT_API_TYPED_CALLS_HPP
#define SIMT_API_TYPED_CALLS_HPP

#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"
#include "simt/kernel_info.hpp"

// Memory.

template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t size) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), size);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t size,
                              unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(pointer), size, flags);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t size, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(pointer), size, stream);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, std::size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size, pool, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t size, cudaMemPool_t pool,
                            cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size, pool, stream);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t size,
                           unsigned int flags = cudaHostAllocDefault) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), size, flags);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, std::size_t size, unsigned int flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), size, flags);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}

// As before CUDA 13: a device's number, or cudaCpuDeviceId, in place of a location.

inline cudaMemLocation simt_location(int device) {
  if (device == cudaCpuDeviceId) return {cudaMemLocationTypeHost, 0};
  return {cudaMemLocationTypeDevice, device};
}
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t size, int device,
                                        cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(pointer, size, simt_location(device), 0, stream);
}
inline cudaError_t cudaMemAdvise(const void* pointer, std::size_t size, cudaMemoryAdvise advice,
                                 int device) {
  return cudaMemAdvise(pointer, size, advice, simt_location(device));
}

// Graphs, as before CUDA 12: where an error is, instead of flags or a structure.

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                        cudaGraphNode_t* error_node, char* log,
                                        std::size_t log_size) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_size > 0) *log = '\0';
  return cudaGraphInstantiate(exec, graph, 0);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphNode_t* error_node,
                                       cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  if (error_node != nullptr) *error_node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}

inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                            unsigned long long* id, cudaGraph_t* graph,
                                            const cudaGraphNode_t** dependencies,
                                            std::size_t* count) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, nullptr, count);
}

// Variables of the device: the variable itself is the argument.

template <class T>
const void* simt_symbol(const T& symbol) {
  return const_cast<const void*>(reinterpret_cast<const volatile void*>(&symbol));
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t size,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(simt_symbol(symbol), from, size, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t size,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, simt_symbol(symbol), size, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t size,
                                    std::size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  return cudaMemcpyToSymbolAsync(simt_symbol(symbol), from, size, offset, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t size,
                                      std::size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  return cudaMemcpyFromSymbolAsync(to, simt_symbol(symbol), size, offset, kind, stream);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  return cudaGetSymbolAddress(pointer, simt_symbol(symbol));
}
template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* size, const T& symbol) {
  return cudaGetSymbolSize(size, simt_symbol(symbol));
}

// Kernels: the function itself is the argument.

template <class... Args>
cudaError_t cudaLaunchKernel(void (*kernel)(Args...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return cudaLaunchKernel(simt::kernel_ref(kernel), grid, block, arguments, shared_bytes, stream);
}
template <class... Args>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Args...), dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
  return cudaLaunchCooperativeKernel(simt::kernel_ref(kernel), grid, block, arguments, shared_bytes,
                                     stream);
}
template <class... Expected, class... Given>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Expected...),
                               Given&&... given) {
  return [&](Expected... values) {
    void* arguments[] = {const_cast<void*>(reinterpret_cast<const volatile void*>(&values))...,
                         nullptr};
    return cudaLaunchKernelExC(config, simt::kernel_ref(kernel), arguments);
  }(std::forward<Given>(given)...);
}

template <class... Args>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(Args...)) {
  return cudaFuncGetAttributes(attributes, simt::kernel_ref(kernel));
}
template <class... Args>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Args...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(simt::kernel_ref(kernel), attribute, value);
}
template <class... Args>
cudaError_t cudaFuncSetCacheConfig(void (*kernel)(Args...), cudaFuncCache config) {
  return cudaFuncSetCacheConfig(simt::kernel_ref(kernel), config);
}
template <class... Args>
cudaError_t cudaFuncSetSharedMemConfig(void (*kernel)(Args...), cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(simt::kernel_ref(kernel), config);
}
template <class... Args>
cudaError_t cudaFuncGetName(const char** name, void (*kernel)(Args...)) {
  return cudaFuncGetName(name, simt::kernel_ref(kernel));
}
template <class... Args>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(Args...),
                                                          int block_size,
                                                          std::size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, simt::kernel_ref(kernel), block_size,
                                                       dynamic_shared);
}
template <class... Args>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   void (*kernel)(Args...),
                                                                   int block_size,
                                                                   std::size_t dynamic_shared,
                                                                   unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, simt::kernel_ref(kernel),
                                                                block_size, dynamic_shared, flags);
}
template <class... Args>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* dynamic_shared,
                                                      void (*kernel)(Args...), int blocks,
                                                      int block_size) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(dynamic_shared, simt::kernel_ref(kernel), blocks,
                                                   block_size);
}

/// The block size that keeps most threads resident, and the grid that fills the device with it.
/// `dynamic_shared(block_size)` says how much dynamic shared memory a block of that size needs.
template <class Kernel, class DynamicShared>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid_size, int* block_size,
                                                           Kernel kernel,
                                                           DynamicShared dynamic_shared,
                                                           int limit = 0) {
  cudaFuncAttributes attributes{};
  int multiprocessors = 0;
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess) return error;
  error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  if (error != cudaSuccess) return error;
  int most = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < most) most = limit;
  int best_resident = 0;
  *grid_size = *block_size = 0;
  for (int size = most; size > 0; size = (size - 1) / 32 * 32) {
    int blocks = 0;
    error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, dynamic_shared(size));
    if (error != cudaSuccess) return error;
    if (blocks * size > best_resident) {
      best_resident = blocks * size;
      *block_size = size;
      *grid_size = blocks * multiprocessors;
    }
  }
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, Kernel kernel,
                                               std::size_t dynamic_shared = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid_size, block_size, kernel, [=](int) { return dynamic_shared; }, limit);
}
template <class Kernel, class DynamicShared>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid_size, int* block_size,
                                                                    Kernel kernel,
                                                                    DynamicShared dynamic_shared,
                                                                    int limit = 0, unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid_size, block_size, kernel,
                                                        dynamic_shared, limit);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size,
                                                        Kernel kernel,
                                                        std::size_t dynamic_shared = 0,
                                                        int limit = 0, unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSize(grid_size, block_size, kernel, dynamic_shared, limit);
}

#endif
