// What code calls that was compiled with -fsanitize=thread. This takes the place of libtsan: every
// load and store of the program reports here first.
#include <cstdint>
#include <cstring>

#include "checker.hpp"

namespace {

using simt::inspect::Access;
using simt::inspect::Checker;

std::uintptr_t number(const volatile void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

[[gnu::always_inline]] inline void note(const volatile void* address, unsigned size, Access kind,
                                        void* site) {
  Checker::instance().access(number(address), size, kind, number(site));
}

}  // namespace

#define SITE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define PLAIN(SIZE)                                                                 \
  void __tsan_read##SIZE(void* a) { note(a, SIZE, Access::read, SITE); }            \
  void __tsan_write##SIZE(void* a) { note(a, SIZE, Access::write, SITE); }          \
  void __tsan_volatile_read##SIZE(void* a) { note(a, SIZE, Access::read, SITE); }   \
  void __tsan_volatile_write##SIZE(void* a) { note(a, SIZE, Access::write, SITE); } \
  void __tsan_unaligned_read##SIZE(void* a) {                                       \
    Checker::instance().access_range(number(a), SIZE, Access::read, number(SITE));  \
  }                                                                                 \
  void __tsan_unaligned_write##SIZE(void* a) {                                      \
    Checker::instance().access_range(number(a), SIZE, Access::write, number(SITE)); \
  }                                                                                 \
  void __tsan_unaligned_volatile_read##SIZE(void* a) {                              \
    Checker::instance().access_range(number(a), SIZE, Access::read, number(SITE));  \
  }                                                                                 \
  void __tsan_unaligned_volatile_write##SIZE(void* a) {                             \
    Checker::instance().access_range(number(a), SIZE, Access::write, number(SITE)); \
  }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void* a, std::size_t size) {
  Checker::instance().access_range(number(a), size, Access::read, number(SITE));
}
void __tsan_write_range(void* a, std::size_t size) {
  Checker::instance().access_range(number(a), size, Access::write, number(SITE));
}

#define ATOMIC(BITS, TYPE)                                                                         \
  TYPE __tsan_atomic##BITS##_load(const volatile TYPE* a, int) {                                   \
    note(a, BITS / 8, Access::atomic, SITE);                                                       \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##BITS##_store(volatile TYPE* a, TYPE v, int) {                                \
    note(a, BITS / 8, Access::atomic, SITE);                                                       \
    __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                \
  TYPE __tsan_atomic##BITS##_exchange(volatile TYPE* a, TYPE v, int) {                             \
    note(a, BITS / 8, Access::atomic, SITE);                                                       \
    return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile TYPE* a, TYPE* c, TYPE v, int, int) { \
    note(a, BITS / 8, Access::atomic, SITE);                                                       \
    return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
  }                                                                                                \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile TYPE* a, TYPE* c, TYPE v, int, int) {   \
    note(a, BITS / 8, Access::atomic, SITE);                                                       \
    return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
  }                                                                                                \
  UPDATE(BITS, TYPE, add)                                                                          \
  UPDATE(BITS, TYPE, sub)                                                                          \
  UPDATE(BITS, TYPE, and)                                                                          \
  UPDATE(BITS, TYPE, or)                                                                           \
  UPDATE(BITS, TYPE, xor)                                                                          \
  UPDATE(BITS, TYPE, nand)
#define UPDATE(BITS, TYPE, OPERATION)                                           \
  TYPE __tsan_atomic##BITS##_fetch_##OPERATION(volatile TYPE* a, TYPE v, int) { \
    note(a, BITS / 8, Access::atomic, SITE);                                    \
    return __atomic_fetch_##OPERATION(a, v, __ATOMIC_SEQ_CST);                  \
  }
ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)

void simt_name_shared(const char* name, const void* address, std::size_t size, std::size_t element,
                      const std::size_t* extents, unsigned rank) {
  simt::inspect::NamedArray array{name, number(address), size, element, {}};
  array.dims.assign(extents, extents + rank);
  Checker::instance().name_shared(std::move(array));
}

void simt_name_argument(const char* name, const void* base, std::size_t element,
                        std::size_t columns) {
  simt::inspect::NamedArray array{name, number(base), 0, element, {}};
  if (columns != 0) array.dims = {0, columns};
  Checker::instance().name_argument(std::move(array));
}

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
