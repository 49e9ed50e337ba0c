/// \file
/// Small things that the parts of the checker share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>

#include "checker.hpp"

extern "C" char __executable_start;

namespace simt::inspect {

inline std::uintptr_t address_of(const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Instructions are told apart by where they lie in the program: four bytes are enough.
inline std::uint32_t pack(std::uintptr_t site) {
  return static_cast<std::uint32_t>(site - address_of(&__executable_start));
}
inline std::uintptr_t unpack(std::uint32_t site) { return address_of(&__executable_start) + site; }

inline const char* verb(Access kind) {
  return is_read(kind) ? "reads" : is_write(kind) ? "writes" : "updates";
}

/// The bytes of the word at `word` that the access covers.
inline unsigned mask_of(std::uintptr_t word, const Place& place) {
  const std::uintptr_t first = std::max(word, place.address);
  const std::uintptr_t last = std::min(word + kWord, place.address + place.size);
  return ((1U << (last - first)) - 1) << (first - word);
}

std::string hexadecimal(unsigned mask);
/// `lanes 0, 1 and 5` or `lanes 16 to 31`.
std::string lanes_text(unsigned lanes);

/// A finding at the call that returns to `site`.
Finding finding_at(Kind kind, const void* site, std::string message, std::string cure);

inline BlockWatch& watch_of(const detail::Block& block) {
  return *static_cast<BlockWatch*>(block.watch);
}

/// The checker at work. What it calls of the standard library may be a copy that is itself watched,
/// and is not looked at.
class AtWork {
 public:
  AtWork() { now = true; }
  ~AtWork() { now = false; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

  static inline __thread bool now = false;
};

/// Held while a kernel runs and while host code touches memory that kernels use, as a program may
/// have several host threads.
inline std::recursive_mutex& host_mutex() {
  static std::recursive_mutex& mutex = *new std::recursive_mutex;
  return mutex;
}

}  // namespace simt::inspect
