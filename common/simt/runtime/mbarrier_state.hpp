/// @file
/// The 64 bits of an mbarrier, taken apart.
#ifndef SIMT_RUNTIME_MBARRIER_STATE_HPP
#define SIMT_RUNTIME_MBARRIER_STATE_HPP

#include <cstdint>
#include <cstring>
#include <string>

#include "driver_types.h"

namespace simt::detail {

struct Block;

struct BarrierState {
  std::uint32_t missing;   ///< arrivals, in this phase
  std::uint32_t expected;  ///< arrivals in each phase
  std::int64_t bytes;      ///< announced and not come; less than 0 if they came first
  std::uint32_t parity;    ///< of the phase that is not complete
  bool marked = true;      ///< there is a barrier

  // From the lowest bit on: missing 20, expected 20, bytes 22, parity 1, a mark. Memory that
  // nobody has written is full of ones, and no barrier has -1 bytes and all arrivals at once.
  static constexpr int kExpected = 20, kBytes = 40, kParity = 62, kMark = 63;
  static constexpr std::uint64_t kCountMask = (1u << 20) - 1, kBytesMask = (1u << 22) - 1;
  static constexpr std::int64_t kBias = 1 << 21;

  static BarrierState at(const void* place) {
    std::uint64_t bits;
    std::memcpy(&bits, place, sizeof(bits));
    return {static_cast<std::uint32_t>(bits & kCountMask),
            static_cast<std::uint32_t>(bits >> kExpected & kCountMask),
            static_cast<std::int64_t>(bits >> kBytes & kBytesMask) - kBias,
            static_cast<std::uint32_t>(bits >> kParity & 1), (bits >> kMark & 1) != 0};
  }
  std::uint64_t bits() const {
    return missing | std::uint64_t{expected} << kExpected |
           static_cast<std::uint64_t>(bytes + kBias) << kBytes | std::uint64_t{parity} << kParity |
           std::uint64_t{marked} << kMark;
  }
  bool is_valid() const { return marked && missing <= expected && bits() != ~std::uint64_t{0}; }
  void write(void* place) const {
    const std::uint64_t all = bits();
    std::memcpy(place, &all, sizeof(all));
  }
  static void erase(void* place) { std::memset(place, 0, sizeof(std::uint64_t)); }
};

/// Where in a block's shared memory an address lies, or that it does not, for messages.
struct SharedPlace {
  char text[160];
};
SharedPlace describe_shared(const Block& block, const void* address);

/// Stops the kernel: what is wrong with an instruction of the running thread, `where` there is a
/// place to name.
[[noreturn]] void refuse_instruction(cudaError_t code, const char* instruction,
                                     const std::string& where, const std::string& why);

}  // namespace simt::detail

#endif
