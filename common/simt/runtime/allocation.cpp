#include <algorithm>
#include <cstdint>
#include <memory>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "device.hpp"
#include "enqueue.hpp"
#include "graph.hpp"
#include "interface.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace {

using simt::detail::api_call;
using simt::detail::enqueue;
using simt::detail::Memory;
using simt::detail::MemoryKind;
using simt::detail::MemoryRange;

constexpr std::size_t kPitch = 512;  // bytes that rows of pitched memory begin at multiples of

cudaError_t allocate(void** pointer, std::size_t size, MemoryKind kind, unsigned flags = 0) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  if (size == 0) {
    *pointer = nullptr;
    return cudaSuccess;
  }
  void* memory = Memory::instance().allocate(size, kind, flags, simt::detail::current_device());
  if (memory == nullptr) return cudaErrorMemoryAllocation;
  *pointer = memory;
  return cudaSuccess;
}

// A call that some captures forbid.
template <class Action>
cudaError_t unsafe_call(Action action, const char* name = __builtin_FUNCTION()) {
  const auto allowed = [&] {
    const cudaError_t error = simt::detail::check_unsafe_call();
    return error != cudaSuccess ? error : action();
  };
  return api_call(allowed, name);
}

cudaError_t release(void* pointer, bool host) {
  if (pointer == nullptr) return cudaSuccess;
  if (const auto error = simt::detail::free_graph_memory(pointer)) return *error;
  return Memory::instance().free(pointer, host) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t size) {
  return unsafe_call([&] { return allocate(pointer, size, MemoryKind::device); });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t size, unsigned int flags) {
  return api_call([&] {
    if (size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) {
      return cudaErrorInvalidValue;
    }
    return allocate(pointer, size, MemoryKind::managed, flags);
  });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return api_call([&] {
    if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
    const std::size_t row = (width + kPitch - 1) / kPitch * kPitch;
    const cudaError_t error = allocate(pointer, row * height, MemoryKind::device);
    if (error == cudaSuccess) *pitch = row;
    return error;
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  if (pointer == nullptr) return api_call([] { return cudaErrorInvalidValue; });
  void* memory = nullptr;
  std::size_t pitch = 0;
  const cudaError_t error =
      cudaMallocPitch(&memory, &pitch, extent.width, extent.height * extent.depth);
  if (error == cudaSuccess) *pointer = {memory, pitch, extent.width, extent.height};
  return error;
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t size, cudaStream_t stream) {
  if (!simt::detail::is_valid_stream(stream) || !simt::detail::is_capturing(stream)) {
    return enqueue(stream, cudaGraphNodeTypeMemAlloc,
                   [=] { return allocate(pointer, size, MemoryKind::device); });
  }
  return api_call([&] {
    const cudaError_t error = allocate(pointer, size, MemoryKind::device);
    if (error != cudaSuccess) return error;
    return simt::detail::capture(stream, simt::detail::allocation_work(*pointer, size));
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (!simt::detail::is_valid_stream(stream) || !simt::detail::is_capturing(stream)) {
    return enqueue(stream, cudaGraphNodeTypeMemFree, [=] { return release(pointer, false); });
  }
  return api_call([&] { return simt::detail::capture(stream, simt::detail::free_work(pointer)); });
}

cudaError_t cudaFree(void* pointer) {
  return unsafe_call([&] {
    simt::detail::wait_for_all();
    return release(pointer, false);
  });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t size, unsigned int flags) {
  return api_call([&] {
    constexpr unsigned kKnown =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    return allocate(pointer, size, MemoryKind::pinned, flags | cudaHostAllocMapped);
  });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t size) {
  return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* pointer) {
  return api_call([&] { return release(pointer, true); });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t size, unsigned int flags) {
  return api_call([&] {
    constexpr unsigned kKnown = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    if (pointer == nullptr || size == 0 || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    MemoryRange range;
    range.base = reinterpret_cast<std::uintptr_t>(pointer);
    range.size = size;
    range.kind = MemoryKind::registered;
    range.flags = flags | cudaHostRegisterMapped;
    range.device = simt::detail::current_device();
    return Memory::instance().add(range) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api_call([&] {
    return Memory::instance().remove(pointer, MemoryKind::registered)
               ? cudaSuccess
               : cudaErrorHostMemoryNotRegistered;
  });
}

namespace {

bool is_page_locked(const std::optional<MemoryRange>& range) {
  return range && (range->kind == MemoryKind::pinned || range->kind == MemoryKind::registered);
}

}  // namespace

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  return api_call([&] {
    if (device == nullptr || flags != 0 || !is_page_locked(Memory::instance().find(host))) {
      return cudaErrorInvalidValue;
    }
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* host) {
  return api_call([&] {
    const auto range = Memory::instance().find(host);
    if (flags == nullptr || !is_page_locked(range)) return cudaErrorInvalidValue;
    *flags = range->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api_call([&] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    void* address = const_cast<void*>(pointer);
    const auto range = Memory::instance().find(pointer);
    if (!range) {
      *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
      return cudaSuccess;
    }
    switch (range->kind) {
      case MemoryKind::device:
      case MemoryKind::symbol:
        *attributes = {cudaMemoryTypeDevice, range->device, address, nullptr};
        break;
      case MemoryKind::managed:
      case MemoryKind::managed_symbol:
        *attributes = {cudaMemoryTypeManaged, range->device, address, address};
        break;
      default:
        *attributes = {cudaMemoryTypeHost, range->device, address, address};
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return api_call([&] {
    if (free_bytes == nullptr || total_bytes == nullptr) return cudaErrorInvalidValue;
    *free_bytes = Memory::instance().available();
    *total_bytes = Memory::instance().total();
    return cudaSuccess;
  });
}

namespace {

// Advice and prefetching change nothing where there is one memory, but take managed memory only.
cudaError_t check_managed(const void* pointer, std::size_t size) {
  const auto range = Memory::instance().find(pointer);
  if (!range || size == 0) return cudaErrorInvalidValue;
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(pointer) - range->base;
  const bool managed =
      range->kind == MemoryKind::managed || range->kind == MemoryKind::managed_symbol;
  return managed && size <= range->size - offset ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

cudaError_t cudaMemAdvise(const void* pointer, std::size_t size, cudaMemoryAdvise advice,
                          cudaMemLocation) {
  return api_call([&] {
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) {
      return cudaErrorInvalidValue;
    }
    return check_managed(pointer, size);
  });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t size, cudaMemLocation,
                                 unsigned int flags, cudaStream_t stream) {
  return enqueue(stream, cudaGraphNodeTypeEmpty,
                 [=] { return flags != 0 ? cudaErrorInvalidValue : check_managed(pointer, size); });
}

void* simt_allocate_sparse(std::size_t size, bool zeros) {
  return Memory::instance().allocate_sparse(size, zeros, simt::detail::current_device());
}
