#include "simt/symbols.hpp"

#include "context.hpp"
#include "copy.hpp"
#include "cuda_runtime_api.h"
#include "memory.hpp"

namespace simt {

SymbolRegistrar::SymbolRegistrar(const volatile void* address, std::size_t size, const char* name,
                                 SymbolKind kind)
    : address_(address) {
  detail::MemoryRange range;
  range.base = reinterpret_cast<std::uintptr_t>(address);
  range.size = size;
  range.kind =
      kind == SymbolKind::managed ? detail::MemoryKind::managed_symbol : detail::MemoryKind::symbol;
  range.flags = kind == SymbolKind::constant ? detail::kConstantSymbol : 0;
  range.name = name;
  detail::Memory::instance().add(range);
}

SymbolRegistrar::~SymbolRegistrar() {
  const void* address = const_cast<const void*>(address_);
  detail::Memory& memory = detail::Memory::instance();
  if (!memory.remove(address, detail::MemoryKind::symbol)) {
    memory.remove(address, detail::MemoryKind::managed_symbol);
  }
}

}  // namespace simt

namespace {

using simt::detail::api_call;
using simt::detail::Memory;
using simt::detail::MemoryKind;
using simt::detail::MemoryRange;

// The variable at an address; error 13 if there is none.
cudaError_t find_symbol(const void* symbol, MemoryRange& found) {
  const auto range = Memory::instance().find(symbol);
  if (!range || range->base != reinterpret_cast<std::uintptr_t>(symbol) ||
      (range->kind != MemoryKind::symbol && range->kind != MemoryKind::managed_symbol)) {
    return cudaErrorInvalidSymbol;
  }
  found = *range;
  return cudaSuccess;
}

// Checks that `size` bytes at `offset` lie within a variable, and finds their address.
cudaError_t part_of_symbol(const void* symbol, std::size_t size, std::size_t offset, void** part) {
  MemoryRange range;
  const cudaError_t error = find_symbol(symbol, range);
  if (error != cudaSuccess) return error;
  if (offset > range.size || size > range.size - offset) return cudaErrorInvalidValue;
  *part = reinterpret_cast<void*>(range.base + offset);
  return cudaSuccess;
}

bool is_kind_to_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
         kind == cudaMemcpyDefault;
}

bool is_kind_from_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
         kind == cudaMemcpyDefault;
}

}  // namespace

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t size,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  void* to = nullptr;
  const cudaError_t error = api_call([&] {
    if (!is_kind_to_device(kind)) return cudaErrorInvalidMemcpyDirection;
    return part_of_symbol(symbol, size, offset, &to);
  });
  return error != cudaSuccess ? error : cudaMemcpyAsync(to, from, size, kind, stream);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t size,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  void* from = nullptr;
  const cudaError_t error = api_call([&] {
    if (!is_kind_from_device(kind)) return cudaErrorInvalidMemcpyDirection;
    return part_of_symbol(symbol, size, offset, &from);
  });
  return error != cudaSuccess ? error : cudaMemcpyAsync(to, from, size, kind, stream);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t size,
                               std::size_t offset, cudaMemcpyKind kind) {
  const cudaError_t error = cudaMemcpyToSymbolAsync(symbol, from, size, offset, kind, nullptr);
  return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                 cudaMemcpyKind kind) {
  const cudaError_t error = cudaMemcpyFromSymbolAsync(to, symbol, size, offset, kind, nullptr);
  return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return api_call([&] {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    return part_of_symbol(symbol, 0, 0, pointer);
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* size, const void* symbol) {
  return api_call([&] {
    MemoryRange range;
    const cudaError_t error = find_symbol(symbol, range);
    if (error != cudaSuccess) return error;
    if (size == nullptr) return cudaErrorInvalidValue;
    *size = range.size;
    return cudaSuccess;
  });
}
