/// \file
/// The functions that a program compiled with `cucc --check` or `--count` calls while it runs. Both
/// modes compile it in the same way, except for subscripts and integer arithmetic; each defines
/// these functions in its own library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace simt::inspect {

enum class Access : std::uint8_t {
  read,
  write,
  volatile_read,
  volatile_write,
  atomic_read,
  atomic_write,
  atomic_update,    ///< read and written in one step
  atomic_exchange,  ///< the same, what is written does not depend on what was read
  atomic_compare    ///< the same, written only if what was read is what was expected
};

constexpr bool is_read(Access kind) {
  return kind == Access::read || kind == Access::volatile_read || kind == Access::atomic_read;
}
constexpr bool is_write(Access kind) {
  return kind == Access::write || kind == Access::volatile_write || kind == Access::atomic_write;
}
constexpr bool is_atomic(Access kind) { return kind >= Access::atomic_read; }
constexpr bool is_update(Access kind) { return kind >= Access::atomic_update; }
constexpr bool is_volatile(Access kind) {
  return kind == Access::volatile_read || kind == Access::volatile_write;
}

/// An array that a kernel can name.
struct NamedArray {
  std::string name;
  std::uintptr_t base = 0;
  std::size_t size = 0;           ///< in bytes; 0: as far as the allocation goes
  std::size_t element = 1;        ///< in bytes
  std::vector<std::size_t> dims;  ///< all but the first extent matter; empty: one dimension
  const unsigned char* padding = nullptr;  ///< 0 for each byte of an element that is padding

  /// Is the byte at `address`, which is in the array, one that an element has and no member?
  bool is_padding(std::uintptr_t address) const {
    return padding != nullptr && padding[(address - base) % element] == 0;
  }
};

/// Comes before every access of `size` bytes (1, 2, 4, 8 or 16) by the call that returns to `site`,
/// in kernels and in host code.
void watch_access(std::uintptr_t address, unsigned size, Access kind, std::uintptr_t site);

/// The same for an access of any size at any address.
void watch_range(std::uintptr_t address, std::size_t size, Access kind, std::uintptr_t site);

/// The same for an atomic operation, with its memory order (`__ATOMIC_RELAXED` and so on).
void watch_atomic(std::uintptr_t address, unsigned size, Access kind, int order,
                  std::uintptr_t site);

/// A memory fence.
void watch_fence(int order);

/// A subscript that is not within the extent which the type of its array has.
struct BadSubscript {
  const char* file;  ///< of one of its brackets
  int line;
  int column;
  std::string value;
  std::string type;  ///< the array's, `float [16]`
};

/// Comes before the access, or where the address is taken, by the call that returns to `site`.
void watch_subscript(const BadSubscript& subscript, std::uintptr_t site);

/// An operation on signed integers whose result its type does not hold.
struct Overflow {
  std::function<std::string()> expression;  ///< with the operands' values, `65536 * 65536`
  std::string_view type;                    ///< the result's, `int`
  int bits;                                 ///< that type's
};

/// Comes before the result is used, which has the bits that are left of it.
void watch_overflow(const Overflow& overflow, std::uintptr_t site);

/// A shift by `count`, which is negative or not below the `bits` of what is shifted.
void watch_shift(const std::string& count, int bits, std::uintptr_t site);

/// A variable in static shared memory, whenever a thread passes its declaration.
void watch_shared_name(NamedArray array);

/// A pointer or view among the arguments of the kernel that is launched next.
void watch_argument_name(NamedArray array);

/// The program enters a function, called from where `caller` returns to; `function` is an address
/// at its start, and `frame` tells its stack frame from all others that live.
[[gnu::weak]] void watch_call(std::uintptr_t caller, std::uintptr_t function, std::uintptr_t frame);

/// It begins a basic block, in which `site` lies.
[[gnu::weak]] void watch_step(std::uintptr_t site, std::uintptr_t frame);

/// It leaves the function of that frame, which ends at `end` if the program keeps frame pointers.
[[gnu::weak]] void watch_return(std::uintptr_t frame, std::uintptr_t end);

}  // namespace simt::inspect
