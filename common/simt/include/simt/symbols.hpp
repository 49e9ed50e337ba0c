/// @file
/// `__device__`, `__constant__` and `__managed__` variables: plain globals that are known as
/// device memory.
#ifndef SIMT_SYMBOLS_HPP
#define SIMT_SYMBOLS_HPP

#include <cstddef>

namespace simt {

enum class SymbolKind { device, constant, managed };

/// Registers one variable for as long as the program runs. `name` must outlive it (a literal).
class SymbolRegistrar {
 public:
  SymbolRegistrar(const volatile void* address, std::size_t size, const char* name,
                  SymbolKind kind);
  ~SymbolRegistrar();
  SymbolRegistrar(const SymbolRegistrar&) = delete;
  SymbolRegistrar& operator=(const SymbolRegistrar&) = delete;

 private:
  const volatile void* address_;
};

}  // namespace simt

#endif
