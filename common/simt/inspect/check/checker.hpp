/// \file
/// Check mode: looks at every access of a program and at what orders them.
///
/// Within a block the verdict does not depend on the order in which the threads happened to run:
/// two accesses are ordered only if a barrier, or a meeting of a warp that both took part in, lies
/// between them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "findings.hpp"
#include "observer.hpp"
#include "shadow.hpp"
#include "simt/block.hpp"
#include "watch.hpp"

namespace simt::inspect {

/// One access of `size` bytes by the instruction that returns to `site`.
struct Place {
  std::uintptr_t address;
  unsigned size;
  Access kind;
  std::uintptr_t site;
};

/// A read of something that nobody had written then.
struct EarlyRead {
  std::uintptr_t address;  ///< of the first byte that was not
  Stamp stamp;
  Place place;
};

/// What the checker keeps of a resident block.
struct BlockWatch {
  std::uint32_t number = 0;  ///< over all launches, from 1
  std::uint32_t epoch = 0;
  Shadow shared;
  /// For each thread: how many meetings of its warp it took part in.
  std::vector<std::uint32_t> clocks;
  /// For each thread: what it knows of the clocks of its warp's lanes, as of the current epoch.
  std::vector<std::uint32_t> known;
  struct SharedArray {
    std::uintptr_t begin;
    std::size_t size;
  };
  std::vector<SharedArray> arrays;
  std::vector<EarlyRead> unwritten;  ///< in shared memory, since the last barrier
};

class Checker final : public detail::Observer {
 public:
  static Checker& instance();

  void launch_begins(const detail::Job& job) override;
  void launch_ends(const detail::Job& job) override;
  void block_begins(detail::Block& block) override;
  void block_ends(const detail::Block& block) override;
  void block_synchronised(const detail::Block& block) override;
  void warp_synchronised(const detail::Block& block, unsigned warp, unsigned arrived) override;
  void allocated(const detail::MemoryRange& range) override;
  void freed(const detail::MemoryRange& range) override;
  void written(const void* address, std::size_t size) override;
  void read(const void* address, std::size_t size) override;
  void placed_shared(const detail::Block& block, const std::byte* address,
                     std::size_t size) override;

  /// One access of `size` bytes (at most 16) by the instruction that returns to `site`.
  void access(std::uintptr_t address, unsigned size, Access kind, std::uintptr_t site);

  /// An access of any size.
  void access_range(std::uintptr_t address, std::size_t size, Access kind, std::uintptr_t site);

  void name_shared(NamedArray array);
  void name_argument(NamedArray array);

 private:
  Checker();

  void device_access(const detail::Block* block, const Place& place);
  void shared_access(const detail::Block& block, const Place& place);
  void other_access(const detail::Block* block, const Place& place);
  bool in_bounds(const Place& place);
  bool is_local(const detail::Block& block, std::uintptr_t address) const;
  Stamp stamp(const detail::Block& block, std::uintptr_t site) const;
  void note(Cell& cell, unsigned mask, const Stamp& now, const Place& place);
  bool ordered(const Stamp& before, const Stamp& now) const;
  void race(const Stamp& before, Access before_kind, const Place& place);
  void tell_unwritten(const detail::Block& block);
  void uninitialised(const EarlyRead& read);
  void out_of_bounds(const Place& place);
  [[noreturn]] void end_kernel();
  void misaligned(const Place& place);
  std::string describe(std::uintptr_t address) const;
  void report(Kind kind, const Place& place, std::string message, std::string cure,
              std::uintptr_t other = 0) const;

  /// The bounds of the allocation that a page belongs to, for the pages used last.
  struct Bounds {
    std::uintptr_t page = 0;
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool host = false;  ///< the host may use it too
  };
  static constexpr std::size_t kBoundsCount = 256;

  Shadow device_;
  WrittenBits written_;
  std::uintptr_t device_begin_ = 0;
  std::size_t device_size_ = 0;
  Bounds bounds_[kBoundsCount];
  std::map<const std::byte*, std::unique_ptr<BlockWatch>> watches_;  ///< by shared memory
  std::map<std::uintptr_t, Cell> symbols_;                           ///< by word
  std::map<std::uintptr_t, NamedArray> shared_names_;
  std::vector<NamedArray> arguments_;
  std::map<std::uintptr_t, std::size_t> freed_;  ///< base and size
  std::uint32_t blocks_ = 0;
  std::uint32_t launch_first_ = 1;  ///< the number of the launch's first block
  const detail::Job* job_ = nullptr;
};

}  // namespace simt::inspect
