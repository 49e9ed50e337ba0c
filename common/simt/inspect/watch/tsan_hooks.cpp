// What code calls that was compiled with -fsanitize=thread and -fsanitize-coverage=trace-pc. This
// takes the place of libtsan: every load and store of the program reports here first.
#include <cstdint>
#include <cstring>

#include "watch.hpp"

namespace {

using simt::inspect::Access;

std::uintptr_t number(const volatile void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

[[gnu::always_inline]] inline void note(const volatile void* address, unsigned size, Access kind,
                                        void* site) {
  simt::inspect::watch_access(number(address), size, kind, number(site));
}

[[gnu::always_inline]] inline void note_range(const volatile void* address, std::size_t size,
                                              Access kind, void* site) {
  simt::inspect::watch_range(number(address), size, kind, number(site));
}

[[gnu::always_inline]] inline void note_atomic(const volatile void* address, unsigned size,
                                               Access kind, int order, void* site) {
  simt::inspect::watch_atomic(number(address), size, kind, order, number(site));
}

}  // namespace

#define SITE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void* caller) {
  if (simt::inspect::watch_call == nullptr) return;
  simt::inspect::watch_call(number(caller), number(SITE), number(__builtin_frame_address(0)));
}
void __tsan_func_exit() {
  if (simt::inspect::watch_return == nullptr) return;
  void* const* const frame = static_cast<void* const*>(__builtin_frame_address(0));
  simt::inspect::watch_return(number(frame), number(*frame));  // where the caller's own is kept
}
void __sanitizer_cov_trace_pc() {
  if (simt::inspect::watch_step == nullptr) return;
  simt::inspect::watch_step(number(SITE), number(__builtin_frame_address(0)));
}
void __tsan_vptr_update(void** a, void*) { note(a, sizeof(void*), Access::write, SITE); }
void __tsan_vptr_read(void**) {}

#define PLAIN(SIZE)                                                                          \
  void __tsan_read##SIZE(void* a) { note(a, SIZE, Access::read, SITE); }                     \
  void __tsan_write##SIZE(void* a) { note(a, SIZE, Access::write, SITE); }                   \
  void __tsan_volatile_read##SIZE(void* a) { note(a, SIZE, Access::volatile_read, SITE); }   \
  void __tsan_volatile_write##SIZE(void* a) { note(a, SIZE, Access::volatile_write, SITE); } \
  void __tsan_unaligned_read##SIZE(void* a) { note_range(a, SIZE, Access::read, SITE); }     \
  void __tsan_unaligned_write##SIZE(void* a) { note_range(a, SIZE, Access::write, SITE); }   \
  void __tsan_unaligned_volatile_read##SIZE(void* a) {                                       \
    note_range(a, SIZE, Access::volatile_read, SITE);                                        \
  }                                                                                          \
  void __tsan_unaligned_volatile_write##SIZE(void* a) {                                      \
    note_range(a, SIZE, Access::volatile_write, SITE);                                       \
  }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void* a, std::size_t size) { note_range(a, size, Access::read, SITE); }
void __tsan_write_range(void* a, std::size_t size) { note_range(a, size, Access::write, SITE); }

#define ATOMIC(BITS, TYPE)                                                                        \
  TYPE __tsan_atomic##BITS##_load(const volatile TYPE* a, int order) {                            \
    note_atomic(a, BITS / 8, Access::atomic_read, order, SITE);                                   \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                               \
  void __tsan_atomic##BITS##_store(volatile TYPE* a, TYPE v, int order) {                         \
    note_atomic(a, BITS / 8, Access::atomic_write, order, SITE);                                  \
    __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                                     \
  }                                                                                               \
  TYPE __tsan_atomic##BITS##_exchange(volatile TYPE* a, TYPE v, int order) {                      \
    note_atomic(a, BITS / 8, Access::atomic_exchange, order, SITE);                               \
    return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                           \
  }                                                                                               \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile TYPE* a, TYPE* c, TYPE v, int order, \
                                                    int) {                                        \
    note_atomic(a, BITS / 8, Access::atomic_compare, order, SITE);                                \
    return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
  }                                                                                               \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile TYPE* a, TYPE* c, TYPE v, int order,   \
                                                  int) {                                          \
    note_atomic(a, BITS / 8, Access::atomic_compare, order, SITE);                                \
    return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
  }                                                                                               \
  UPDATE(BITS, TYPE, add)                                                                         \
  UPDATE(BITS, TYPE, sub)                                                                         \
  UPDATE(BITS, TYPE, and)                                                                         \
  UPDATE(BITS, TYPE, or)                                                                          \
  UPDATE(BITS, TYPE, xor)                                                                         \
  UPDATE(BITS, TYPE, nand)
#define UPDATE(BITS, TYPE, OPERATION)                                                 \
  TYPE __tsan_atomic##BITS##_fetch_##OPERATION(volatile TYPE* a, TYPE v, int order) { \
    note_atomic(a, BITS / 8, Access::atomic_update, order, SITE);                     \
    return __atomic_fetch_##OPERATION(a, v, __ATOMIC_SEQ_CST);                        \
  }
ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)

void simt_name_shared(const char* name, const void* address, std::size_t size, std::size_t element,
                      const std::size_t* extents, unsigned rank, const unsigned char* padding) {
  simt::inspect::NamedArray array{name, number(address), size, element, {}, padding};
  array.dims.assign(extents, extents + rank);
  simt::inspect::watch_shared_name(std::move(array));
}

void simt_name_argument(const char* name, const void* base, std::size_t element,
                        std::size_t columns, const unsigned char* padding) {
  simt::inspect::NamedArray array{name, number(base), 0, element, {}, padding};
  if (columns != 0) array.dims = {0, columns};
  simt::inspect::watch_argument_name(std::move(array));
}

// Watched code calls these for memcpy, memmove and memset.
void* simt_memcpy(void* to, const void* from, std::size_t size) noexcept {
  note_range(from, size, Access::read, SITE);
  note_range(to, size, Access::write, SITE);
  return std::memcpy(to, from, size);
}
void* simt_memmove(void* to, const void* from, std::size_t size) noexcept {
  note_range(from, size, Access::read, SITE);
  note_range(to, size, Access::write, SITE);
  return std::memmove(to, from, size);
}
void* simt_memset(void* to, int value, std::size_t size) noexcept {
  note_range(to, size, Access::write, SITE);
  return std::memset(to, value, size);
}

void __tsan_atomic_thread_fence(int order) {
  simt::inspect::watch_fence(order);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
