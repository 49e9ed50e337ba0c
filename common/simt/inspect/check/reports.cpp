// What is said of what was found.
#include <algorithm>
#include <cstring>
#include <memory>

#include "checker.hpp"
#include "context.hpp"
#include "cuda_runtime_api.h"
#include "job.hpp"
#include "memory.hpp"
#include "sites.hpp"
#include "worker.hpp"

namespace simt::inspect {
namespace {

using detail::Block;
using detail::kWarpSize;

std::string index_text(unsigned x, unsigned y, unsigned z) {
  return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
}

std::string index_text(std::uint32_t linear, const uint3& extent) {
  return index_text(linear % extent.x, linear / extent.x % extent.y,
                    linear / (extent.x * extent.y));
}

const char* participle(Strength strength, bool writes) {
  if (!writes) return "read";
  return strength == Strength::plain || strength == Strength::is_volatile ? "written"
                                                                          : "updated atomically";
}

bool is_strong(Strength strength) { return strength != Strength::plain; }

bool reaches_block_only(Strength strength) { return strength == Strength::atomic_in_block; }

bool same_warp(const Stamp& a, const Stamp& b) {
  return a.block == b.block && a.thread / kWarpSize == b.thread / kWarpSize;
}

/// The barrier that the block's threads came through last; 0 if it is not the one at work.
std::uintptr_t last_barrier_of(std::uint32_t block) {
  const Block* at_work = detail::current_block;
  if (at_work == nullptr || watch_of(*at_work).order.number() != block) return 0;
  return watch_of(*at_work).last_barrier;
}

/// Does what is done at `before` come in a later round of a loop of the kernel than what is done at
/// `now`, or the other way round? So it is if the barrier that both came through last stands
/// between the two: what stands before a barrier comes after it in the next round only. Functions
/// that stand before their kernel can be called from anywhere, and so can a lambda, which is not
/// told apart.
bool are_rounds_apart(const KernelInfo& kernel, std::uintptr_t before, std::uintptr_t now,
                      std::uintptr_t barrier) {
  if (barrier == 0) return false;
  const SourceLine &first = outer_line(before), &second = outer_line(now);
  const SourceLine& passed = outer_line(barrier);
  const auto [low, high] = std::minmax(first.line, second.line);
  return first.file == second.file && first.file == passed.file &&
         is_file(first.file, kernel.file) && kernel.line <= low && low < passed.line &&
         passed.line < high;
}

/// What mends a race within a block.
std::string barrier_cure(const Finding& finding, bool one_warp) {
  if (finding.both_write && finding.at == finding.other) {
    return "let one thread alone write it, or check the index; use an atomic, if all mean to add "
           "to it";
  }
  std::string cure = finding.parties == Parties::warp
                         ? "put __syncwarp() or __syncthreads() between the two"
                         : "put __syncthreads() between the two";
  if (finding.between_rounds) cure += ", at the end of the loop";
  if (one_warp) cure += ", or __syncwarp() as long as a block is one warp";
  // `x += 1` reads and writes at one line; a round of a loop may come in between.
  if (finding.at == finding.other) {
    cure += "; an atomic, if both mean to add to the same element";
  }
  return cure;
}

}  // namespace

std::string block_text(const Block& block) {
  return index_text(block.index.x, block.index.y, block.index.z);
}

std::string Checker::thread_text(const Stamp& stamp) const {
  const LaunchRecord& launch = launch_of(stamp.block);
  // After a barrier of the grid its blocks have other numbers, as many higher as there are blocks.
  const std::uint32_t blocks = launch.grid.x * launch.grid.y * launch.grid.z;
  return "thread " + index_text(stamp.thread, launch.dim) + " of block " +
         index_text((stamp.block - launch.first) % blocks, launch.grid);
}

std::string Checker::who(const Block* block) const {
  if (block == nullptr) return "host code";
  if (in_library_) return job_->kernel->name;
  return thread_text(watch_of(*block).order.stamp(block->running_thread()));
}

/// Two accesses that nothing orders, of which one writes: are they a race?
void Checker::conflict(const Stamp& before, Strength before_strength, bool before_writes,
                       const Place& place, const Stamp& now) {
  if (is_strong(before_strength) && is_strong(place.strength)) {
    const bool reach = before.block == now.block || (!reaches_block_only(before_strength) &&
                                                     !reaches_block_only(place.strength));
    // Lanes of a warp do not run in step, whatever older programs hope of volatile.
    const bool lanes = before_strength == Strength::is_volatile &&
                       place.strength == Strength::is_volatile && same_warp(before, now);
    if (reach && !lanes) return;
  }
  const std::uintptr_t other = unpack(before.site);
  if (Findings::instance().is_known(Kind::race, place.site, other)) {
    if (!held_.empty() && before.block == now.block && !same_warp(before, now)) {
      crosses_warps(source_line(place.site), source_line(other));
    }
    return;
  }
  // A plain read that guesses the old value for a compare-and-swap does no harm.
  const bool reads_first = !before_writes && is_update(place.kind);
  const bool reads_now =
      place.kind == Access::read && before_writes && before_strength >= Strength::atomic_in_block;
  if (reads_first || reads_now) {
    const Stamp& reader = reads_first ? before : now;
    mixed_.try_emplace(
        {reader.block, reader.thread, place.address & ~(kWord - 1)},
        Suspicion{place.address, reader, place,
                  race_between(before, before_strength, before_writes, place, now), other});
    return;
  }
  // Two that store the same do none, but for one beside an update, which counts on what is there.
  const bool updated = before_strength >= Strength::atomic_in_block || is_atomic(place.kind);
  if (before_writes && is_write(place.kind) && !updated) {
    overwrite_ = Overwrite{before, before_strength, place, now, {}};
    std::memcpy(overwrite_->old, reinterpret_cast<const void*>(place.address), place.size);
    return;
  }
  if (!Findings::instance().is_new(Kind::race, place.site, other)) return;
  report(race_between(before, before_strength, before_writes, place, now));
}

/// The write has happened meanwhile.
void Checker::settle_overwrite() {
  const Overwrite one = *overwrite_;
  overwrite_.reset();
  const bool same =
      std::memcmp(one.old, reinterpret_cast<const void*>(one.place.address), one.place.size) == 0;
  if (same || !Findings::instance().is_new(Kind::race, one.place.site, unpack(one.before.site))) {
    return;
  }
  report(race_between(one.before, one.before_strength, true, one.place, one.now));
}

Finding Checker::race_between(const Stamp& before, Strength strength, bool writes,
                              const Place& place, const Stamp& now) const {
  const SourceLine& line = source_line(unpack(before.site));
  Finding finding;
  finding.kind = Kind::race;
  finding.at = source_line(place.site);
  finding.other = line;
  finding.message = thread_text(now) + " " + verb(place.kind) + " " + describe(place.address) +
                    ", " + participle(strength, writes) + " by " + thread_text(before);
  finding.both_write = writes && is_write(place.kind);
  const bool same_launch = before.block >= launches_.back().first;
  if (before.block == now.block) {
    finding.message += " at " + line.text() + " with no barrier between";
    finding.between_rounds =
        job_ != nullptr && are_rounds_apart(*job_->kernel, unpack(before.site), place.site,
                                            last_barrier_of(now.block));
    // What comes later and stands further up is most likely of a loop's next round.
    const bool perhaps = finding.at.file == line.file && finding.at.line < line.line;
    if (finding.between_rounds || perhaps) {
      finding.message += std::string(finding.between_rounds ? ", most likely" : ", perhaps") +
                         " from one round of a loop to the next";
    }
    const uint3& dim = launches_.back().dim;
    const bool one_warp = dim.x * dim.y * dim.z <= kWarpSize;
    finding.parties = same_warp(before, now) && !one_warp ? Parties::warp : Parties::block;
    finding.cure = barrier_cure(finding, one_warp);
  } else if (same_launch) {
    finding.message += " at " + line.text() + "; nothing orders the two blocks";
    finding.cure = place.strength == Strength::atomic_in_block
                       ? "atomics named _block work within one block; use the ones without"
                       : "give each block elements of its own, use atomics (and a __threadfence() "
                         "before one that says 'ready'), or two launches";
  } else {
    finding.message += " of kernel " + std::string(launch_of(before.block).kernel) +
                       "; nothing orders the two launches";
    finding.cure =
        "use one stream, or let one wait for the other by cudaEventRecord and cudaStreamWaitEvent";
  }
  return finding;
}

/// Threads of two warps race on these lines: no barrier of a warp mends that.
void Checker::crosses_warps(const SourceLine& at, const SourceLine& other) {
  if (crossed_.contains({at.text(), other.text()})) return;
  crossed_.insert({at.text(), other.text()});
  crossed_.insert({other.text(), at.text()});
}

void Checker::tell_held() {
  for (Finding& finding : held_) {
    if (finding.parties == Parties::warp &&
        crossed_.contains({finding.at.text(), finding.other.text()})) {
      finding.parties = Parties::block;
      finding.cure = barrier_cure(finding, false);
    }
    Findings::instance().report(finding);
  }
  held_.clear();
  held_for_ = 0;
}

/// The thread that read goes on to update the word: it only guessed.
void Checker::trust_mixed(const Place& place) {
  const Block& block = *detail::current_block;
  const Stamp now = watch_of(block).order.stamp(block.running_thread());
  mixed_.erase({now.block, now.thread, place.address & ~(kWord - 1)});
}

/// Who has come to a barrier without an update will not make one for that read.
void Checker::settle_mixed() {
  for (auto one = mixed_.begin(); one != mixed_.end();) {
    const Suspicion& suspicion = one->second;
    const bool over = job_ == nullptr || is_over(suspicion.stamp);
    if (!over) {
      ++one;
      continue;
    }
    if (Findings::instance().is_new(Kind::race, suspicion.place.site, suspicion.other)) {
      report(suspicion.finding);
    }
    one = mixed_.erase(one);
  }
}

bool Checker::is_over(const Stamp& stamp) const {
  for (const auto& [memory, watch] : watches_) {
    if (watch->order.number() == stamp.block) {
      return watch->ended || stamp.epoch < watch->order.epoch();
    }
  }
  return true;
}

// A read of shared memory that nothing had written is a race, found as such, if another thread
// writes there before the next barrier: then it was only the order of threads that made it early.
void Checker::tell_unwritten(const Block& block) {
  BlockWatch& watch = watch_of(block);
  for (const Suspicion& early : watch.unwritten) {
    const Cell& cell = watch.shared.cell(early.address);
    const unsigned byte = 1U << (early.address % kWord);
    const auto since = [&](const Stamp& write) {
      return write.epoch == early.stamp.epoch && write.thread != early.stamp.thread;
    };
    bool written_since = (cell.write_mask & byte) != 0 && since(cell.write);
    if (cell.has_strong && !is_update(early.place.kind)) {  // updates do not race with each other
      for (const StrongUse& use : watch.shared.strong(early.address & ~(kWord - 1)).writes) {
        written_since = written_since || ((use.mask & byte) != 0 && since(use.stamp));
      }
    }
    if (!written_since) uninitialised(early.place, early.stamp, early.address);
  }
  watch.unwritten.clear();
}

void Checker::uninitialised(const Place& place, const Stamp& now, std::uintptr_t first) {
  report_place(
      Kind::uninitialised, place,
      [&] {
        return thread_text(now) + " reads " + describe(first) + ", which nothing has written";
      },
      is_shared(first) ? "write it first; shared memory begins undefined in every block"
                       : "write it first; new device memory is undefined");
}

void Checker::misaligned(const Place& place) {
  report_place(
      Kind::misaligned, place,
      [&] {
        return std::to_string(place.size) + "-byte access to " + describe(place.address) +
               ", whose address is a multiple of " +
               std::to_string(place.address & (~place.address + 1)) + " only";
      },
      "vector loads need addresses that are multiples of their size");
}

void Checker::out_of_bounds(const Place& place) {
  const auto after = freed_.upper_bound(place.address);
  const bool was_freed =
      after != freed_.begin() && place.address - std::prev(after)->first < std::prev(after)->second;
  report_place(
      was_freed ? Kind::use_after_free : Kind::out_of_bounds, place,
      [&] {
        return who(detail::current_block) + " " + verb(place.kind) + " " + describe(place.address);
      },
      was_freed ? "free it after the last use" : "check the index against the size");
}

/// As on a GPU, the kernel ends there.
void Checker::end_kernel() {
  const Block& block = *detail::current_block;
  block.job->fail(cudaErrorIllegalAddress);
  AtWork::now = false;  // nothing here is unwound
  block.worker->abandon();
}

void Checker::report_place(Kind kind, const Place& place,
                           const std::function<std::string()>& message, const char* cure) {
  if (!Findings::instance().is_new(kind, place.site, 0)) return;
  Finding finding;
  finding.kind = kind;
  finding.at = source_line(place.site);
  finding.message = message();
  finding.cure = cure;
  report(std::move(finding));
}

void Checker::report(Finding finding) {
  if (job_ != nullptr) {
    finding.kernel = job_->kernel->name;
    finding.message += " [" + finding.kernel + "]";
  }
  if (finding.parties == Parties::block) crosses_warps(finding.at, finding.other);
  if (held_.empty() && finding.parties != Parties::warp) {
    return Findings::instance().report(finding);
  }
  held_.push_back(std::move(finding));
}

void Checker::launch_refused(const LaunchConfig& config, const KernelInfo& kernel, int error) {
  refused_ = std::make_unique<Finding>();
  refused_->kind = Kind::unchecked_error;
  refused_->at = {kernel.file, kernel.line};
  refused_->kernel = kernel.name;
  refused_->message =
      std::string("the launch of ") + kernel.name + " with " +
      index_text(config.grid.x, config.grid.y, config.grid.z) + " blocks of " +
      index_text(config.block.x, config.block.y, config.block.z) +
      " threads was refused: " + cudaGetErrorString(static_cast<cudaError_t>(error)) +
      "; the program never asked";
  refused_->cure = "ask cudaGetLastError() after every launch";
}

void Checker::finish() {
  tell_held();
  if (refused_) Findings::instance().report(*refused_);
  if (detail::context_is_broken()) return;  // nothing can be freed any more
  for (const auto& [base, allocation] : allocations_) {
    Finding finding;
    finding.kind = Kind::leak;
    finding.at = host_line(allocation.calls);
    finding.message = std::to_string(allocation.size) + " bytes of " +
                      (allocation.pinned ? "pinned host" : "device") +
                      " memory are still allocated at the end";
    finding.cure = allocation.pinned ? "free them with cudaFreeHost" : "free them with cudaFree";
    Findings::instance().report(finding);
  }
}

}  // namespace simt::inspect
