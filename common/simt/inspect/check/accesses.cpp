// Where an access goes, and whether it may go there.
#include <algorithm>
#include <iterator>

#include "checker.hpp"
#include "job.hpp"
#include "memory.hpp"
#include "shared_use.hpp"
#include "sites.hpp"
#include "worker.hpp"

extern "C" char __executable_start;
extern "C" char __data_start;

namespace simt::inspect {
namespace {

using detail::Block;
using detail::kWarpSize;

/// Of a fiber, and of what the backend keeps for each OS thread.
constexpr std::size_t kNearby = 64 * 1024;

/// What g++ takes for certain of an access of 8 bytes and of 16: a struct may be aligned to 8.
constexpr unsigned kClaimedAlignment = 8;

bool is_misaligned(const Place& place) {
  return place.address % place.size != 0 && (place.size & (place.size - 1)) == 0;
}

}  // namespace

void Checker::access(std::uintptr_t address, unsigned size, Access kind, std::uintptr_t site) {
  access({address, size, kind, site, is_volatile(kind) ? Strength::is_volatile : Strength::plain});
}

void Checker::access(const Place& place) {
  if (overwrite_) settle_overwrite();
  if (races_.are_held_too_long()) tell_races();
  const Block* block = detail::current_block;
  if (block == nullptr) {
    if (memory_.covers(place.address)) host_memory_access(place);
  } else if (memory_.covers(place.address)) {
    device_access(*block, place);
  } else if (place.address - address_of(block->shared_memory) < detail::shared_space()) {
    shared_access(*block, place);
  } else if (is_local(*block, place.address)) {
    return local_access(place);
  } else if (const Block* const owner = ArrayNames::other_of_cluster(place.address)) {
    cluster_access(*owner, place);
  } else {
    other_access(*block, place);
  }
  if (place.strength == Strength::is_volatile && block != nullptr) {
    synchronise_by(place, __ATOMIC_RELAXED);
  }
}

// What g++ calls a range may lie anywhere: copies of bytes, packed members, bit-fields. Its parts
// are as large as their addresses allow, so that none is misaligned.
void Checker::access_range(std::uintptr_t address, std::size_t size, Access kind,
                           std::uintptr_t site) {
  in_range_ = true;
  for (std::size_t done = 0; done < size;) {
    std::size_t part = kWord;
    while ((address + done) % part != 0 || part > size - done) part /= 2;
    access(address + done, static_cast<unsigned>(part), kind, site);
    done += part;
  }
  in_range_ = false;
}

/// On the stack of the running thread, above what runs now; or of what the backend itself keeps.
bool Checker::is_local(const Block& block, std::uintptr_t address) const {
  const std::uintptr_t here = address_of(__builtin_frame_address(0));
  // Without fibers the kernel runs on the host's stack, below the launch.
  const std::uintptr_t limit = block.on_fibers ? here + kNearby * 4 : address_of(job_);
  if (address >= here && address < limit) return true;
  if (address - address_of(job_->body) < job_->operations->size) return true;
  if (address - address_of(&block) < sizeof(Block)) return true;
  if (address - (address_of(&::threadIdx) - kNearby) < 2 * kNearby) return true;
  // Lanes hand each other values through their stacks.
  return block.worker->fibers().find(reinterpret_cast<const void*>(address)) != nullptr;
}

Stamp Checker::stamp(const Block& block, std::uintptr_t site) const {
  Stamp now = watch_of(block).order.stamp(block.running_thread());
  now.site = pack(site);
  return now;
}

void Checker::host_memory_access(const Place& place) {
  const std::lock_guard lock(host_mutex());
  if (!memory_.in_bounds(place.address, place.size)) {
    out_of_bounds(place);
    Findings::instance().finish();  // what comes next is a fault
  }
  if (!memory_.is_for_host(place.address)) {
    return report_place(
        Kind::host_access, place,
        [&] {
          return std::string("host code ") + verb(place.kind) + " device memory, " +
                 describe(place.address);
        },
        "copy it with cudaMemcpy, or allocate it with cudaMallocManaged");
  }
  if (place.strength != Strength::plain && !is_write(place.kind)) host_polls(place);
  compare_with_launches(place);
}

// The host reads a flag that a kernel wrote after a fence: then it knows of what the kernel did.
void Checker::host_polls(const Place& place) {
  const std::uintptr_t word = place.address & ~(kWord - 1);
  if (!device_.cell(word).has_strong || released_.count(place.address) == 0) return;
  for (const StrongUse& write : device_.strong(word).writes) {
    if (write.mask != 0) timelines_.host_saw(launch_of(write.stamp.block).operation);
  }
}

void Checker::device_access(const Block& block, const Place& place) {
  ++work_;
  if (!memory_.in_bounds(place.address, place.size)) {
    out_of_bounds(place);
    end_kernel();
  }
  if (is_misaligned(place)) misaligned(place);
  const Stamp now = stamp(block, place.site);
  if (uses_old_value(place)) look_for_unwritten(now, place);
  if (!is_read(place.kind)) {
    memory_.kernel_writes(place.address, place.size);
    watch_of(block).has_written = true;
  }
  if (!looks_for_races_) return;
  if (!is_read(place.kind) && read_only_begin_ != read_only_end_ &&
      read_only_.any(place.address, place.size)) {
    changes_read_only(place);
  }
  if (!concurrent_.empty()) compare_with_ranges(place);
  note_words(device_, now, place);
}

namespace {

constexpr const char* kNoReadOnlyCache =
    "__ldg reads through a cache that does not see writes of the same kernel, and may return the "
    "old value: use an ordinary read";

}  // namespace

void Checker::changes_read_only(const Place& place) {
  report_place(
      Kind::race, place,
      [&] {
        return who(detail::current_block) + " " + verb(place.kind) + " " + describe(place.address) +
               ", which the same kernel reads by __ldg";
      },
      kNoReadOnlyCache);
}

void Checker::reads_only(std::uintptr_t address, std::size_t size, std::uintptr_t site) {
  const Block* const block = detail::current_block;
  if (block == nullptr || !memory_.covers(address)) return;
  if (!looks_for_races_) return;
  const bool is_first = read_only_begin_ == read_only_end_;
  read_only_begin_ = is_first ? address : std::min(read_only_begin_, address);
  read_only_end_ = std::max(read_only_end_, address + size);
  read_only_.set(address, size, true);
  const std::uint32_t first_block = launches_.back().first;
  for (std::uintptr_t word = address & ~(kWord - 1); word < address + size; word += kWord) {
    const Cell& cell = device_.cell(word);
    bool written = cell.write_mask != 0 && cell.write.block >= first_block;
    if (cell.has_strong) {
      for (const StrongUse& use : device_.strong(word).writes) {
        written = written || (use.mask != 0 && use.stamp.block >= first_block);
      }
    }
    if (!written) continue;
    const Place place{word, kWord, Access::read, site, Strength::plain};
    return report_place(
        Kind::race, place,
        [&] {
          return who(block) + " reads " + describe(word) +
                 " by __ldg, which the same kernel has written";
        },
        kNoReadOnlyCache);
  }
}

bool Checker::uses_old_value(const Place& place) const {
  return !is_write(place.kind) &&
         !(place.kind == Access::atomic_exchange && is_unused(place.address));
}

// A copy of an object reads its padding, too.
void Checker::look_for_unwritten(const Stamp& now, const Place& place) {
  for (std::size_t done = 0; done < place.size; ++done) {
    done += memory_.first_unwritten(place.address + done, place.size - done);
    if (done >= place.size || names_.is_padding(place.address + done)) continue;
    return uninitialised(place, now, place.address + done);
  }
}

void Checker::note_words(Shadow& shadow, const Stamp& now, const Place& place) {
  for (std::uintptr_t word = place.address & ~(kWord - 1); word < place.address + place.size;
       word += kWord) {
    note(shadow, word, now, place);
  }
}

// Of another block of the cluster, which is there from its beginning to its end: both by a barrier
// of the cluster.
void Checker::cluster_access(const Block& owner, const Place& place) {
  if (owner.next_thread != 0) return shared_access(owner, place);
  report_place(
      Kind::race, place,
      [&] {
        return who(detail::current_block) + " " + verb(place.kind) + " " + describe(place.address) +
               ", which may not have begun: nothing orders the two blocks";
      },
      std::string(kClusterBarrier));
}

void Checker::shared_access(const Block& owner, const Place& place) {
  ++work_;
  BlockWatch& watch = watch_of(owner);
  const auto array = std::find_if(watch.arrays.begin(), watch.arrays.end(), [&](const auto& one) {
    return place.address >= one.begin && place.address + place.size - one.begin <= one.size;
  });
  if (array == watch.arrays.end()) return out_of_bounds(place);
  if (is_misaligned(place)) {
    misaligned(place);
  } else if (std::min(place.size, kClaimedAlignment) > array->alignment && !in_range_) {
    aligned_by_chance(place, array->alignment);
  }
  const Stamp now = stamp(*detail::current_block, place.site);
  if (&owner != detail::current_block) visit(owner, now, place.address);
  if (!is_read(place.kind)) compare_sent(watch, place, now);
  for (std::uintptr_t word = place.address & ~(kWord - 1); word < place.address + place.size;
       word += kWord) {
    Cell& cell = watch.shared.cell(word);
    const unsigned mask = mask_of(word, place);
    if (cell.owner != watch.identity) {  // another block had the memory
      cell.owner = watch.identity;
      cell.valid = cell.write_mask = cell.read_masks[0] = cell.read_masks[1] = 0;
      cell.apart = cell.has_strong = cell.has_far = false;
    }
    unsigned missing = uses_old_value(place) ? mask & ~cell.valid : 0;
    for (unsigned left = missing; left != 0; left &= left - 1) {
      if (names_.is_shared_padding(word + static_cast<unsigned>(__builtin_ctz(left)))) {
        missing ^= left & (~left + 1);
      }
    }
    if (missing != 0) {
      const std::uintptr_t first = word + static_cast<unsigned>(__builtin_ctz(missing));
      const CopyUnderWay* const copy = watch.under_way.find(first, 1);
      watch.unwritten.push_back({first, now, place, copy != nullptr ? copy->site : 0});
    } else if (const CopyUnderWay* const copy = watch.under_way.find(place.address, place.size)) {
      used_under_way(watch, *copy, place, now);
    }
    if (!is_read(place.kind)) cell.valid |= static_cast<std::uint8_t>(mask);
    if (in_async_proxy_ && is_read(place.kind) && (cell.write_mask & mask) != 0) {
      compare_proxies(watch, cell, now, place);
    }
    written_by_ = (cell.write_mask & mask) != 0 ? watch.copy_to(cell) : nullptr;
    if (written_by_ != nullptr && is_unfinished(watch, cell, now)) {
      conflict(cell.write, Strength::plain, true, place, now);
    }
    note(watch.shared, word, now, place);
    written_by_ = nullptr;
    if (!is_read(place.kind)) {
      cell.by_async = in_async_proxy_;
      if (in_async_proxy_) {
        cell.fences = static_cast<std::uint16_t>(watch.engine_copies.size());
        copying_to_ = &watch;
      } else {
        cell.fences =
            now.thread < watch.proxy_fences.size() ? watch.proxy_fences[now.thread].count : 0;
      }
    }
  }
}

// What a copy engine brings is there when the mbarrier says so that the copy completes, and no
// other barrier tells of it, not even to the thread that started it.
bool Checker::is_unfinished(const BlockWatch& watch, const Cell& cell, const Stamp& now) const {
  return watch.order.number() == now.block && ordered(cell.write, now) &&
         !watch.order.knows(now.thread, written_by_->told);
}

// A copy engine or a tensor core reads what a thread wrote: between the two stands a fence, of that
// thread, or of the one that starts the copy when the write is known to it.
void Checker::compare_proxies(BlockWatch& watch, const Cell& cell, const Stamp& now,
                              const Place& place) {
  const Stamp& write = cell.write;
  if (cell.by_async || write.block != now.block || !ordered(write, now)) return;
  const auto fences_of = [&](unsigned thread) {
    return thread < watch.proxy_fences.size() ? watch.proxy_fences[thread]
                                              : BlockWatch::ProxyFences{};
  };
  if (fences_of(write.thread).count != cell.fences) return;
  const BlockWatch::ProxyFences own = fences_of(now.thread);
  if (own.count != 0 && (write.thread == now.thread ? own.count != cell.fences
                                                    : watch.order.ordered(write, own.last))) {
    return;
  }
  if (!Findings::instance().is_new(Kind::race, place.site, unpack(write.site))) return;
  Finding finding;
  finding.kind = Kind::race;
  finding.at = line_of_call(place.site);
  finding.other = source_line(unpack(write.site));
  finding.message = who(detail::current_block) + " starts what reads " + describe(place.address) +
                    " on a unit of its own, written by " + thread_text(write) + " at " +
                    finding.other.text() + " with no fence.proxy.async between";
  finding.cure =
      "after the writes, and before the barrier, let each thread that wrote call fence.proxy.async";
  report(finding);
}

void Checker::proxy_fence() {
  const Block* const block = detail::current_block;
  if (block == nullptr) return;
  BlockWatch& watch = watch_of(*block);
  if (watch.proxy_fences.size() < block->thread_count) {
    watch.proxy_fences.resize(block->thread_count);
  }
  for (auto& [at, barrier] : watch.barriers) {
    if (barrier.by.thread == block->running_thread()) barrier.known_to_engine = true;
  }
  BlockWatch::ProxyFences& own = watch.proxy_fences[block->running_thread()];
  ++own.count;
  own.last = watch.order.moment(block->running_thread());
}

void Checker::other_access(const Block& block, const Place& place) {
  const bool constant =
      place.address >= address_of(&__executable_start) && place.address < address_of(&__data_start);
  if (constant && is_read(place.kind)) return;
  if (place.address < kFirstPage) {
    out_of_bounds(place);
    end_kernel();
  }
  if (place.address < symbol_begin_ || place.address >= symbol_end_) {
    const auto range = detail::Memory::instance().find(reinterpret_cast<void*>(place.address));
    if (!range) {
      if (trusts_program_data_ && symbols_.covers(place.address)) return;
      if (is_bookkeeping(place.site) || !source_line(place.site).known()) return;
      if (!names_.element_behind_32_bits(place.address).empty()) {
        out_of_bounds(place);
        end_kernel();
      }
      return report_place(
          Kind::host_access, place,
          [&] { return who(&block) + " " + verb(place.kind) + " host memory"; },
          is_long_launch() ? kCountIn64Bits : "pass a pointer to device memory");
    }
    symbol_begin_ = range->base;
    symbol_end_ = range->base + range->size;
    symbol_ = range->name;
  }
  if (place.address + place.size > symbol_end_) return out_of_bounds(place);
  if (!is_read(place.kind) && symbol_ != nullptr) written_variable_ = symbol_;
  if (symbols_.covers(place.address)) note_words(symbols_, stamp(block, place.site), place);
}

bool Checker::ordered(const Stamp& before, const Stamp& now) const {
  if (before.block == now.block || before.block >= phase_first_) {
    return watch_of(*detail::current_block).order.ordered(before, now);
  }
  if (before.block >= launches_.back().first || timelines_.all_ordered()) return true;
  return timelines_.ordered(launch_of(before.block).operation);
}

const LaunchRecord& Checker::launch_of(std::uint32_t block) const {
  const auto after = std::upper_bound(
      launches_.begin(), launches_.end(), block,
      [](std::uint32_t value, const LaunchRecord& one) { return value < one.first; });
  return *std::prev(after);
}

}  // namespace simt::inspect
