// Memory that kernels allocate. Watched code calls these for new, delete, malloc and free: what a
// kernel gets lies in device memory, where its accesses are watched like all others.
#include <cstddef>
#include <cstdlib>
#include <new>

#include "device.hpp"
#include "job.hpp"
#include "memory.hpp"

namespace {

using simt::detail::Memory;
using simt::detail::MemoryKind;

bool in_kernel() { return simt::detail::current_block != nullptr; }

void* allocate(std::size_t size) {
  return Memory::instance().allocate(size == 0 ? 1 : size, MemoryKind::device, 0,
                                     simt::detail::current_device());
}

bool free_device_memory(void* pointer) {
  return Memory::instance().is_reserved(pointer) && Memory::instance().free(pointer, false);
}

}  // namespace

extern "C" {

void* simt_malloc(std::size_t size) noexcept { return in_kernel() ? allocate(size) : malloc(size); }

void* simt_new(std::size_t size) { return in_kernel() ? allocate(size) : operator new(size); }

void simt_free(void* pointer) noexcept {
  if (!free_device_memory(pointer)) free(pointer);
}

void simt_delete(void* pointer) noexcept {
  if (!free_device_memory(pointer)) operator delete(pointer);
}

}  // extern "C"
