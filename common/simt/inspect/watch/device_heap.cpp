// Memory that kernels allocate. Watched code calls these for new, delete, malloc and free: what a
// kernel gets lies in device memory, where its accesses are watched like all others.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "device.hpp"
#include "job.hpp"
#include "memory.hpp"
#include "source_lines.hpp"

namespace {

using simt::detail::Memory;
using simt::detail::MemoryKind;

/// Does a kernel's own code ask, and no part of the standard library that the backend uses as well?
bool is_kernel(const void* caller) {
  return simt::detail::current_block != nullptr &&
         simt::inspect::source_line(reinterpret_cast<std::uintptr_t>(caller)).known();
}

void* allocate(std::size_t size) {
  return Memory::instance().allocate(size == 0 ? 1 : size, MemoryKind::device, 0,
                                     simt::detail::current_device());
}

bool free_device_memory(void* pointer) {
  return Memory::instance().is_reserved(pointer) && Memory::instance().free(pointer, false);
}

}  // namespace

extern "C" {

void* simt_malloc(std::size_t size) noexcept {
  return is_kernel(__builtin_return_address(0)) ? allocate(size) : malloc(size);
}

void* simt_new(std::size_t size) {
  return is_kernel(__builtin_return_address(0)) ? allocate(size) : operator new(size);
}

void simt_free(void* pointer) noexcept {
  if (!free_device_memory(pointer)) free(pointer);
}

void simt_delete(void* pointer) noexcept {
  if (!free_device_memory(pointer)) operator delete(pointer);
}

}  // extern "C"
