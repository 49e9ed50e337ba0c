#include "checker.hpp"

#include <algorithm>
#include <cstdio>

#include "device_limits.hpp"
#include "job.hpp"
#include "memory.hpp"
#include "shared_use.hpp"
#include "worker.hpp"

extern "C" char __executable_start;
extern "C" char __data_start;

namespace simt::inspect {
namespace {

using detail::Block;
using detail::kWarpSize;

constexpr std::size_t kPage = 4096;
/// Of a fiber, and of what the backend keeps for each OS thread.
constexpr std::size_t kNearby = 64 * 1024;

std::uintptr_t address_of(const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Instructions are told apart by where they lie in the program: four bytes are enough.
std::uint32_t pack(std::uintptr_t site) {
  return static_cast<std::uint32_t>(site - address_of(&__executable_start));
}
std::uintptr_t unpack(std::uint32_t site) { return address_of(&__executable_start) + site; }

const char* verb(Access kind) {
  return is_read(kind) ? "reads" : is_write(kind) ? "writes" : "updates";
}
const char* participle(Access kind) {
  return kind == Access::atomic_update ? "updated atomically" : is_read(kind) ? "read" : "written";
}

std::string index_text(unsigned x, unsigned y, unsigned z) {
  return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
}

std::string thread_text(const detail::Job& job, unsigned thread) {
  return index_text(thread % job.dim.x, thread / job.dim.x % job.dim.y,
                    thread / (job.dim.x * job.dim.y));
}

std::string block_text(const detail::Job& job, std::uint32_t number) {
  return index_text(number % job.grid.x, number / job.grid.x % job.grid.y,
                    number / (job.grid.x * job.grid.y));
}

BlockWatch& watch_of(const Block& block) { return *static_cast<BlockWatch*>(block.watch); }

/// The bytes of the word at `word` that [address, address + size) covers.
unsigned mask_of(std::uintptr_t word, std::uintptr_t address, unsigned size) {
  const std::uintptr_t first = std::max(word, address);
  const std::uintptr_t last = std::min(word + kWord, address + size);
  return ((1U << (last - first)) - 1) << (first - word);
}

}  // namespace

Checker& Checker::instance() {
  // Never destroyed: memory is freed while the program ends.
  static Checker& checker = *new Checker;
  return checker;
}

Checker::Checker() = default;

void Checker::launch_begins(const detail::Job& job) {
  launch_first_ = blocks_ + 1;
  job_ = &job;
}

void Checker::launch_ends(const detail::Job&) {
  job_ = nullptr;
  arguments_.clear();
}

void Checker::block_begins(Block& block) {
  std::unique_ptr<BlockWatch>& watch = watches_[block.shared_memory];
  if (!watch) {
    watch = std::make_unique<BlockWatch>();
    watch->shared.cover(address_of(block.shared_memory), detail::shared_space());
  }
  watch->number = ++blocks_;
  watch->epoch = 0;
  watch->clocks.assign(block.thread_count, 0);
  watch->known.clear();
  watch->arrays.clear();
  if (block.dynamic_size != 0) {
    watch->arrays.push_back({address_of(block.shared_memory), block.dynamic_size});
  }
  block.watch = watch.get();
}

void Checker::block_synchronised(const Block& block) {
  tell_unwritten(block);
  ++watch_of(block).epoch;
}

void Checker::block_ends(const Block& block) { tell_unwritten(block); }

// A read of shared memory that nothing had written is a race, found as such, if another thread
// writes there before the next barrier: then it was only the order of threads that made it early.
void Checker::tell_unwritten(const Block& block) {
  BlockWatch& watch = watch_of(block);
  for (const EarlyRead& early : watch.unwritten) {
    const Cell& cell = watch.shared.cell(early.address);
    const unsigned byte = 1U << (early.address % kWord);
    const bool written_since = (cell.valid & byte) != 0 && cell.write.epoch == early.stamp.epoch &&
                               cell.write.thread != early.stamp.thread;
    if (!written_since) uninitialised(early);
  }
  watch.unwritten.clear();
}

// Everybody who met knows what any of them knew, and what they did before.
void Checker::warp_synchronised(const Block& block, unsigned warp, unsigned arrived) {
  BlockWatch& watch = watch_of(block);
  if (watch.known.empty()) {
    watch.known.assign(std::size_t{block.thread_count} * kWarpSize, 0);
  }
  const unsigned first = warp * kWarpSize;
  std::uint32_t together[kWarpSize] = {};
  const auto for_arrived = [&](auto&& what) {
    for (unsigned lane = 0; lane < kWarpSize && first + lane < block.thread_count; ++lane) {
      if ((arrived >> lane & 1U) != 0) what(lane);
    }
  };
  for_arrived([&](unsigned lane) {
    for (unsigned other = 0; other < kWarpSize; ++other) {
      together[other] = std::max(together[other], watch.known[(first + lane) * kWarpSize + other]);
    }
  });
  for_arrived([&](unsigned lane) { together[lane] = ++watch.clocks[first + lane]; });
  for_arrived([&](unsigned lane) {
    std::copy_n(together, kWarpSize, &watch.known[(first + lane) * kWarpSize]);
  });
}

void Checker::allocated(const detail::MemoryRange& range) {
  if (device_size_ == 0) {
    const detail::Memory& memory = detail::Memory::instance();
    device_begin_ = memory.begin();
    device_size_ = memory.end() - memory.begin();
    device_.cover(device_begin_, device_size_);
    written_.cover(device_begin_, device_size_);
  }
  // What the host may write, it writes unseen.
  written_.set(range.base, range.size, range.kind != detail::MemoryKind::device);
  std::fill(std::begin(bounds_), std::end(bounds_), Bounds{});
  freed_.erase(range.base);
}

void Checker::freed(const detail::MemoryRange& range) {
  std::fill(std::begin(bounds_), std::end(bounds_), Bounds{});
  freed_[range.base] = range.size;
}

void Checker::written(const void* address, std::size_t size) {
  if (address_of(address) - device_begin_ < device_size_) {
    written_.set(address_of(address), size, true);
  }
}

void Checker::read(const void*, std::size_t) {}

void Checker::placed_shared(const Block& block, const std::byte* address, std::size_t size) {
  watch_of(block).arrays.push_back({address_of(address), size});
}

void Checker::name_shared(NamedArray array) { shared_names_[array.base] = std::move(array); }

void Checker::name_argument(NamedArray array) { arguments_.push_back(std::move(array)); }

void Checker::access(std::uintptr_t address, unsigned size, Access kind, std::uintptr_t site) {
  const Block* block = detail::current_block;
  const Place place{address, size, kind, site};
  if (address - device_begin_ < device_size_) {
    device_access(block, place);
  } else if (block != nullptr) {
    if (address - address_of(block->shared_memory) < detail::shared_space()) {
      shared_access(*block, place);
    } else if (!is_local(*block, address)) {
      other_access(block, place);
    }
  }
}

void Checker::access_range(std::uintptr_t address, std::size_t size, Access kind,
                           std::uintptr_t site) {
  for (std::size_t done = 0; done < size;) {
    const std::size_t to_word = kWord - (address + done) % kWord;
    const auto part = static_cast<unsigned>(std::min(to_word, size - done));
    access(address + done, part, kind, site);
    done += part;
  }
}

/// On the stack of the running thread, above what runs now; or of what the backend itself keeps.
bool Checker::is_local(const Block& block, std::uintptr_t address) const {
  const std::uintptr_t here = address_of(__builtin_frame_address(0));
  const std::uintptr_t body_end = address_of(job_->body) + job_->operations->size;
  const std::uintptr_t limit = block.on_fibers ? here + kNearby * 4 : body_end;
  if (address >= here && address < limit) return true;
  if (address - address_of(job_->body) < job_->operations->size) return true;
  if (address - address_of(&block) < sizeof(Block)) return true;
  return address - (address_of(&::threadIdx) - kNearby) < 2 * kNearby;
}

bool Checker::in_bounds(const Place& place) {
  Bounds& bounds = bounds_[place.address / kPage % kBoundsCount];
  if (bounds.page != place.address / kPage) {
    bounds = {};
    const auto range = detail::Memory::instance().find(reinterpret_cast<void*>(place.address));
    if (!range) return false;
    bounds = {place.address / kPage, range->base, range->base + range->size,
              range->kind != detail::MemoryKind::device};
  }
  return place.address >= bounds.begin && place.address + place.size <= bounds.end;
}

Stamp Checker::stamp(const Block& block, std::uintptr_t site) const {
  const BlockWatch& watch = watch_of(block);
  const unsigned thread = block.running_thread();
  Stamp now;
  now.block = watch.number;
  now.epoch = watch.epoch;
  now.thread = thread & 1023U;
  now.clock = watch.clocks[thread] & ((1U << 22) - 1);
  now.site = pack(site);
  return now;
}

void Checker::device_access(const Block* block, const Place& place) {
  if (!in_bounds(place)) {
    out_of_bounds(place);
    if (block != nullptr) end_kernel();
    return;
  }
  if (block == nullptr) {
    const Bounds& bounds = bounds_[place.address / kPage % kBoundsCount];
    if (!bounds.host) {
      report(Kind::host_access, place,
             "host code " + std::string(verb(place.kind)) + " device memory, " +
                 describe(place.address),
             "copy it with cudaMemcpy, or allocate it with cudaMallocManaged");
    }
    return;
  }
  if (place.address % place.size != 0 && (place.size & (place.size - 1)) == 0) misaligned(place);
  if (place.kind != Access::write) {
    const unsigned first = written_.first_unwritten(place.address, place.size);
    if (first < place.size) {
      uninitialised({place.address + first, stamp(*block, place.site), place});
    }
  }
  if (place.kind != Access::read) written_.set_few(place.address, place.size);
  const Stamp now = stamp(*block, place.site);
  for (std::uintptr_t word = place.address & ~(kWord - 1); word < place.address + place.size;
       word += kWord) {
    note(device_.cell(word), mask_of(word, place.address, place.size), now, place);
  }
}

void Checker::shared_access(const Block& block, const Place& place) {
  const BlockWatch& watch = watch_of(block);
  const bool inside = std::any_of(watch.arrays.begin(), watch.arrays.end(),
                                  [&](const BlockWatch::SharedArray& array) {
                                    return place.address - array.begin < array.size &&
                                           place.address + place.size - array.begin <= array.size;
                                  });
  if (!inside) return out_of_bounds(place);
  if (place.address % place.size != 0 && (place.size & (place.size - 1)) == 0) misaligned(place);
  const Stamp now = stamp(block, place.site);
  for (std::uintptr_t word = place.address & ~(kWord - 1); word < place.address + place.size;
       word += kWord) {
    Cell& cell = watch_of(block).shared.cell(word);
    const unsigned mask = mask_of(word, place.address, place.size);
    if (cell.valid_block != now.block) {  // another block had the memory
      cell.valid_block = now.block;
      cell.valid = cell.write_mask = cell.read_masks[0] = cell.read_masks[1] = 0;
    }
    const unsigned missing = mask & ~cell.valid;
    if (place.kind != Access::write && missing != 0) {
      watch_of(block).unwritten.push_back(
          {word + static_cast<unsigned>(__builtin_ctz(missing)), now, place});
    }
    if (place.kind != Access::read) cell.valid |= static_cast<std::uint8_t>(mask);
    note(cell, mask, now, place);
  }
}

void Checker::other_access(const Block* block, const Place& place) {
  const bool constant =
      place.address >= address_of(&__executable_start) && place.address < address_of(&__data_start);
  if (constant && place.kind == Access::read) return;
  const auto range = detail::Memory::instance().find(reinterpret_cast<void*>(place.address));
  if (range) {
    const Stamp now = stamp(*block, place.site);
    for (std::uintptr_t word = place.address & ~(kWord - 1); word < place.address + place.size;
         word += kWord) {
      note(symbols_[word], mask_of(word, place.address, place.size), now, place);
    }
    return;
  }
  if (is_backend_code(place.site)) return;
  report(Kind::host_access, place,
         "kernel " + std::string(verb(place.kind)) + " host memory" +
             (place.address < kPage ? " through a null pointer" : ""),
         "pass a pointer to device memory");
}

/// Compares an access with what the word remembers, and remembers it.
void Checker::note(Cell& cell, unsigned mask, const Stamp& now, const Place& place) {
  const bool atomic = is_atomic(place.kind);
  if ((cell.write_mask & mask) != 0 && !(cell.write_atomic && atomic) &&
      !ordered(cell.write, now)) {
    race(cell.write, cell.write_atomic ? Access::atomic_update : Access::write, place);
  }
  if (place.kind == Access::read) {
    const bool same = cell.reads[0].block == now.block && cell.reads[0].thread == now.thread;
    if (!same) {
      cell.reads[1] = cell.reads[0];
      cell.read_masks[1] = cell.read_masks[0];
      cell.read_masks[0] = 0;
    }
    cell.reads[0] = now;
    cell.read_masks[0] |= static_cast<std::uint8_t>(mask);
    return;
  }
  for (int i = 0; i < 2; ++i) {
    if ((cell.read_masks[i] & mask) != 0 && !ordered(cell.reads[i], now)) {
      race(cell.reads[i], Access::read, place);
    }
    cell.read_masks[i] &= static_cast<std::uint8_t>(~mask);
  }
  const bool same = cell.write.block == now.block && cell.write.thread == now.thread;
  cell.write_mask = static_cast<std::uint8_t>(same ? cell.write_mask | mask : mask);
  cell.write = now;
  cell.write_atomic = atomic;
}

bool Checker::ordered(const Stamp& before, const Stamp& now) const {
  if (before.block != now.block) return before.block < launch_first_;
  if (before.thread == now.thread || before.epoch < now.epoch) return true;
  if (before.thread / kWarpSize != now.thread / kWarpSize) return false;
  const BlockWatch& watch = watch_of(*detail::current_block);
  return !watch.known.empty() &&
         watch.known[now.thread * kWarpSize + before.thread % kWarpSize] > before.clock;
}

void Checker::race(const Stamp& before, Access before_kind, const Place& place) {
  const std::uintptr_t other = unpack(before.site);
  if (!Findings::instance().is_new(Kind::race, place.site, other)) return;
  const Block& block = *detail::current_block;
  const std::uint32_t number = watch_of(block).number;
  const SourceLine& line = source_line(other);
  std::string message = "thread " + thread_text(*job_, block.running_thread()) + " of block " +
                        block_text(*job_, number - launch_first_) + " " + verb(place.kind) + " " +
                        describe(place.address) + ", " + participle(before_kind) + " by thread " +
                        thread_text(*job_, before.thread);
  std::string cure;
  if (before.block == number) {
    const bool warp = before.thread / kWarpSize == block.running_thread() / kWarpSize;
    message += " at " + line.text() + " with no barrier between";
    cure = warp ? "put __syncwarp() or __syncthreads() between the two"
                : "put __syncthreads() between the two";
  } else {
    message += " of block " + block_text(*job_, before.block - launch_first_) + " at " +
               line.text() + "; nothing orders blocks of one launch";
    cure = "give each block elements of its own, use atomics, or two launches";
  }
  report(Kind::race, place, std::move(message), std::move(cure), other);
}

void Checker::uninitialised(const EarlyRead& read) {
  if (!Findings::instance().is_new(Kind::uninitialised, read.place.site, 0)) return;
  report(Kind::uninitialised, read.place,
         "thread " + thread_text(*job_, read.stamp.thread) + " of block " +
             block_text(*job_, read.stamp.block - launch_first_) + " reads " +
             describe(read.address) + ", which nothing has written",
         "write it first; shared memory begins undefined in every block");
}

void Checker::misaligned(const Place& place) {
  if (!Findings::instance().is_new(Kind::misaligned, place.site, 0)) return;
  report(Kind::misaligned, place,
         std::to_string(place.size) + "-byte access to " + describe(place.address) +
             ", whose address is a multiple of " +
             std::to_string(place.address & (~place.address + 1)) + " only",
         "vector loads need addresses that are multiples of their size");
}

void Checker::out_of_bounds(const Place& place) {
  const auto after = freed_.upper_bound(place.address);
  const bool was_freed =
      after != freed_.begin() && place.address - std::prev(after)->first < std::prev(after)->second;
  const Kind kind = was_freed ? Kind::use_after_free : Kind::out_of_bounds;
  if (!Findings::instance().is_new(kind, place.site, 0)) return;
  const Block* block = detail::current_block;
  std::string who = "host code";
  if (block != nullptr) {
    who = "thread " + thread_text(*job_, block->running_thread()) + " of block " +
          block_text(*job_, watch_of(*block).number - launch_first_);
  }
  report(kind, place, who + " " + verb(place.kind) + " " + describe(place.address),
         was_freed ? "free it after the last use" : "check the index against the size");
}

/// As on a GPU, the kernel ends there.
void Checker::end_kernel() {
  const Block& block = *detail::current_block;
  block.job->fail(cudaErrorIllegalAddress);
  block.worker->abandon();
}

void Checker::report(Kind kind, const Place& place, std::string message, std::string cure,
                     std::uintptr_t other) const {
  if (other == 0) Findings::instance().is_new(kind, place.site, 0);
  Finding finding;
  finding.kind = kind;
  finding.at = source_line(place.site);
  if (other != 0) finding.other = source_line(other);
  finding.message = std::move(message);
  if (job_ != nullptr) {
    finding.kernel = job_->kernel->name;
    finding.message += " [" + finding.kernel + "]";
  }
  finding.cure = std::move(cure);
  Findings::instance().report(finding);
}

}  // namespace simt::inspect

namespace simt::inspect {

void watch_access(std::uintptr_t address, unsigned size, Access kind, std::uintptr_t site) {
  Checker::instance().access(address, size, kind, site);
}

void watch_range(std::uintptr_t address, std::size_t size, Access kind, std::uintptr_t site) {
  Checker::instance().access_range(address, size, kind, site);
}

void watch_atomic(std::uintptr_t address, unsigned size, Access kind, int, std::uintptr_t site) {
  Checker::instance().access(address, size, kind, site);
}

void watch_fence(int) {}

void watch_shared_name(NamedArray array) { Checker::instance().name_shared(std::move(array)); }

void watch_argument_name(NamedArray array) { Checker::instance().name_argument(std::move(array)); }

}  // namespace simt::inspect

namespace simt::detail {

extern "C" Observer* simt_make_observer() { return &simt::inspect::Checker::instance(); }

}  // namespace simt::detail
