/// \file
/// A float that reports every access to it, and a model of a processor's first cache that counts
/// these. The target of matmul_cached is measured with them, so it is the same on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tut::ch02 {

/// A cache of 32 KiB: 64 sets of 8 lines of 64 bytes. The line that was used longest ago makes
/// room.
class CacheModel {
 public:
  static constexpr std::uintptr_t kLine = 64, kSets = 64;
  static constexpr std::size_t kWays = 8;

  /// Uses the line of this address, and brings it if it is not there.
  void use(std::uintptr_t address) {
    const std::uintptr_t line = address / kLine + 1;  // 0 is no line
    std::array<std::uintptr_t, kWays>& set = sets_[line % kSets];
    std::size_t way = 0;
    while (way + 1 < kWays && set[way] != line) ++way;
    if (set[way] != line) ++brought_;
    for (; way > 0; --way) set[way] = set[way - 1];
    set[0] = line;
  }

  std::int64_t brought() const noexcept { return brought_; }

 private:
  std::array<std::array<std::uintptr_t, kWays>, kSets> sets_{};  // latest first
  std::int64_t brought_ = 0;
};

/// Counts what happens to the CountedFloat objects of this thread as long as it lives. One lives at
/// a time.
class CountedWork {
 public:
  /// At most so many local variables of 4 bytes count as registers; further ones count as memory.
  static constexpr int kRegisters = 1024;

  CountedWork() : top_of_stack_(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))) {
    current() = this;
  }
  CountedWork(const CountedWork&) = delete;
  CountedWork& operator=(const CountedWork&) = delete;
  ~CountedWork() { current() = nullptr; }

  /// Lines of 64 bytes that the cache had to bring.
  std::int64_t lines() const noexcept { return cache_.brought(); }
  /// Loads and stores of numbers that are not in registers.
  std::int64_t accesses() const noexcept {
    return memory_ + (locals_ > kRegisters ? local_accesses_ : 0);
  }
  /// Different local variables, in words of 4 bytes.
  int locals() const noexcept { return locals_; }

  static void note(const void* place) {
    if (CountedWork* const work = current(); work != nullptr) {
      work->note(reinterpret_cast<std::uintptr_t>(place));
    }
  }

 private:
  static CountedWork*& current() {
    thread_local CountedWork* work = nullptr;
    return work;
  }

  void note(std::uintptr_t address) {
    cache_.use(address);
    if (address > top_of_stack_ || top_of_stack_ - address >= 4 * seen_.size()) {
      ++memory_;
      return;
    }
    ++local_accesses_;
    std::vector<bool>::reference seen = seen_[(top_of_stack_ - address) / 4];
    if (!seen) ++locals_;
    seen = true;
  }

  CacheModel cache_;
  std::uintptr_t top_of_stack_;
  std::vector<bool> seen_ = std::vector<bool>(1 << 18);  // words of the topmost MiB of the stack
  std::int64_t memory_ = 0, local_accesses_ = 0;
  int locals_ = 0;
};

/// A float in all that a product needs: it is initialised, copied, added, subtracted and multiplied
/// as one. No other float comes out of it, so nothing happens to it that is not counted.
class CountedFloat {
 public:
  CountedFloat() = default;  // as a float: of no value, or 0 in T() and T{}
  CountedFloat(float value) : value_(value) { CountedWork::note(this); }
  CountedFloat(const CountedFloat& other) : value_(other.load()) { CountedWork::note(this); }
  CountedFloat& operator=(const CountedFloat& other) { return store(other.load()); }

  CountedFloat& operator+=(const CountedFloat& other) { return store(load() + other.load()); }
  CountedFloat& operator-=(const CountedFloat& other) { return store(load() - other.load()); }
  CountedFloat& operator*=(const CountedFloat& other) { return store(load() * other.load()); }
  friend CountedFloat operator+(const CountedFloat& a, const CountedFloat& b) {
    return {a.load() + b.load(), NotStored()};
  }
  friend CountedFloat operator-(const CountedFloat& a, const CountedFloat& b) {
    return {a.load() - b.load(), NotStored()};
  }
  friend CountedFloat operator*(const CountedFloat& a, const CountedFloat& b) {
    return {a.load() * b.load(), NotStored()};
  }

  /// For the test alone: not counted.
  float uncounted() const noexcept { return value_; }
  void set_uncounted(float value) noexcept { value_ = value; }

 private:
  struct NotStored {};
  CountedFloat(float value, NotStored) : value_(value) {}  // a result on its way

  float load() const {
    CountedWork::note(this);
    return value_;
  }
  CountedFloat& store(float value) {
    CountedWork::note(this);
    value_ = value;
    return *this;
  }

  float value_;
};

}  // namespace tut::ch02
