/// \file
/// What check mode remembers of every word of memory: who wrote and read it last, and whether
/// anything has been written at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace simt::inspect {

/// When and by whom: enough to tell whether a later access was ordered after it.
struct Stamp {
  std::uint32_t block = 0;  ///< the number of the block, counted over all launches; 0: nobody
  std::uint32_t epoch = 0;  ///< barriers of the block before it
  std::uint32_t thread : 10 = 0;
  std::uint32_t clock : 22 = 0;  ///< meetings of its warp that the thread took part in, and fences
  std::uint32_t site = 0;        ///< the instruction

  bool operator==(const Stamp&) const = default;
};

inline constexpr std::size_t kWord = 4;

/// Plain accesses race with whatever is not ordered; the others not among themselves, as far as
/// they reach.
enum class Strength : std::uint8_t { plain, is_volatile, atomic_in_block, atomic };

/// The plain accesses to one aligned word of four bytes. Masks tell its bytes.
///
/// An atomic access neither replaces a plain one here nor makes one forgotten: two atomics do not
/// race, so who is ordered after the one is not ordered after what the other thread did before its
/// own.
struct alignas(64) Cell {
  Stamp write;
  Stamp reads[2];  ///< the latest, and an earlier one of another thread, of another warp if any
  std::uint8_t write_mask = 0;
  std::uint8_t read_masks[2] = {0, 0};
  std::uint8_t valid = 0;   ///< bytes that `owner` has written: shared memory only
  bool apart = false;       ///< its bytes have several writers: `write` is the latest of them
  bool has_strong = false;  ///< volatile or atomic accesses: see Shadow::strong
  bool has_far = false;     ///< a read of another block than `reads`: see Shadow::far_read
  std::uint32_t owner = 0;  ///< the block that has the shared memory
  bool by_async = false;    ///< `write` is a copy engine's: shared memory only
  /// Of `write`: how often its thread had made what it wrote known to such units; if it is a copy
  /// engine's, the copy's number in BlockWatch::engine_copies.
  std::uint16_t fences = 0;
};

/// The last plain writer of each byte of a word that several have written to.
struct ByteWrites {
  Stamp write[kWord];
};

/// A plain read of a word, and the bytes of it.
struct FarRead {
  Stamp stamp;
  std::uint8_t mask = 0;
};

/// A volatile or atomic access to a word, and the bytes of it; none: an empty place.
struct StrongUse {
  Stamp stamp;
  std::uint8_t mask = 0;
  Strength strength = Strength::plain;
};

/// The volatile and atomic accesses to a word that a later one may race with: the latest, and
/// earlier ones that nothing orders before it, of other blocks and other warps rather than of its
/// own.
struct StrongUses {
  StrongUse writes[kWord];
  StrongUse reads[2];
};

/// Cells for a range of addresses, made of memory that costs nothing until it is touched.
class Shadow {
 public:
  Shadow() = default;
  Shadow(const Shadow&) = delete;
  ~Shadow();

  /// Ends the program with a message if the system does not have so many addresses.
  void cover(std::uintptr_t begin, std::size_t size);

  bool covers(std::uintptr_t address) const { return address - begin_ < size_; }
  Cell& cell(std::uintptr_t address) { return cells_[(address - begin_) / kWord]; }
  /// Of the word at `word`, whose cell says `apart`.
  ByteWrites& bytes(std::uintptr_t word) { return bytes_[word]; }
  /// Of the word at `word`; it counts if its cell says `has_far`.
  FarRead& far_read(std::uintptr_t word) { return far_reads_[word]; }
  /// Of the word at `word`; they count if its cell says `has_strong`.
  StrongUses& strong(std::uintptr_t word) {
    if (word != strong_word_) {
      strong_uses_ = &strong_[word];
      strong_word_ = word;
    }
    return *strong_uses_;
  }

  /// Those that are known of a word, whether they count or not; null if none are.
  const StrongUses* known_strong(std::uintptr_t word) const {
    const auto known = strong_.find(word);
    return known == strong_.end() ? nullptr : &known->second;
  }

  /// Of all words; they need not count any more.
  template <class Look>
  void for_each_strong(const Look& look) const {
    for (const auto& [word, uses] : strong_) look(word, uses);
  }

 private:
  std::uintptr_t begin_ = 0;
  std::size_t size_ = 0;
  Cell* cells_ = nullptr;
  std::unordered_map<std::uintptr_t, ByteWrites> bytes_;
  std::unordered_map<std::uintptr_t, FarRead> far_reads_;
  std::unordered_map<std::uintptr_t, StrongUses> strong_;
  std::uintptr_t strong_word_ = 0;  ///< asked for last
  StrongUses* strong_uses_ = nullptr;
};

/// A bit for each byte of a range of addresses: has it been written?
class WrittenBits {
 public:
  void cover(std::uintptr_t begin, std::size_t size);

  void set(std::uintptr_t address, std::size_t size, bool written);

  /// The first of up to 16 bytes that was never written, or `size`.
  unsigned first_unwritten(std::uintptr_t address, unsigned size) const {
    const std::size_t bit = address - begin_;
    const unsigned shift = bit % 8;
    std::uint32_t word;
    __builtin_memcpy(&word, bits_ + bit / 8, sizeof(word));
    const std::uint32_t missing = ~(word >> shift) & ((1U << size) - 1);
    return missing == 0 ? size : static_cast<unsigned>(__builtin_ctz(missing));
  }

  /// The first of any number of bytes that was never written, or `size`.
  std::size_t first_unwritten_in(std::uintptr_t address, std::size_t size) const {
    constexpr std::size_t kAtOnce = 16;
    for (std::size_t done = 0; done < size; done += kAtOnce) {
      const auto part = static_cast<unsigned>(size - done < kAtOnce ? size - done : kAtOnce);
      const unsigned first = first_unwritten(address + done, part);
      if (first != part) return done + first;
    }
    return size;
  }

  /// Is the bit set of any of up to 16 bytes?
  bool any(std::uintptr_t address, unsigned size) const {
    const std::size_t bit = address - begin_;
    std::uint32_t word;
    __builtin_memcpy(&word, bits_ + bit / 8, sizeof(word));
    return (word >> (bit % 8) & ((1U << size) - 1)) != 0;
  }

  void set_few(std::uintptr_t address, unsigned size) {
    const std::size_t bit = address - begin_;
    std::uint32_t word;
    __builtin_memcpy(&word, bits_ + bit / 8, sizeof(word));
    word |= ((1U << size) - 1) << (bit % 8);
    __builtin_memcpy(bits_ + bit / 8, &word, sizeof(word));
  }

 private:
  std::uintptr_t begin_ = 0;
  std::uint8_t* bits_ = nullptr;
};

}  // namespace simt::inspect
