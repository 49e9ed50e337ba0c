// Two accesses that nothing orders, of which one writes: whether they are a race, and how it is
// reported.
#include <algorithm>
#include <cstring>

#include "checker.hpp"
#include "job.hpp"
#include "simt/debugger.hpp"
#include "sites.hpp"

namespace simt::inspect {
namespace {

using detail::Block;
using detail::kWarpSize;

bool is_strong(Strength strength) { return strength != Strength::plain; }

bool reaches_block_only(Strength strength) { return strength == Strength::atomic_in_block; }

bool is_atomic(Strength strength) { return strength >= Strength::atomic_in_block; }

bool same_warp(const Stamp& a, const Stamp& b) {
  return a.block == b.block && a.thread / kWarpSize == b.thread / kWarpSize;
}

bool crosses_warps(const Stamp& a, const Stamp& b) {
  return a.block == b.block && a.thread / kWarpSize != b.thread / kWarpSize;
}

/// One of two accesses, and its words as the current access or as the earlier one.
struct Side {
  Stamp stamp;
  std::uintptr_t site;
  const char* makes;
  const char* made;
};

Side earlier_side(const Stamp& before, Strength strength, bool writes) {
  const std::uintptr_t site = unpack(before.site);
  if (!writes) return {before, site, "reads", "read"};
  if (is_atomic(strength)) return {before, site, "updates", "updated atomically"};
  return {before, site, "writes", "written"};
}

Side later_side(const Place& place, const Stamp& now) {
  const char* made = is_read(place.kind)     ? "read"
                     : is_atomic(place.kind) ? "updated atomically"
                                             : "written";
  return {now, place.site, verb(place.kind), made};
}

/// The line in the kernel's own text; 0 if that is not known. Functions that stand before their
/// kernel can be called from anywhere, and so can a lambda, which is not told apart.
int line_in(const KernelInfo& kernel, std::uintptr_t site) {
  const SourceLine& line = outer_line(site);
  return is_file(line.file, kernel.file) && line.line >= kernel.line ? line.line : 0;
}

/// Does an access at `after` stand further up than one at `before`, as far as is known?
bool stands_above(const KernelInfo& kernel, std::uintptr_t after, std::uintptr_t before) {
  const int first = line_in(kernel, after), second = line_in(kernel, before);
  if (first != second) return first != 0 && second != 0 && first < second;
  const SourceLine &inner = source_line(after), &other = source_line(before);
  return inner.file == other.file && inner.line < other.line;
}

/// By what does one thread wait for its own asynchronous copies there? They arrive where it waits.
/// Null if it does something else.
const char* wait_for_copies(std::uintptr_t site) {
  if (is_called(site, "__pipeline_wait_prior")) return "__pipeline_wait_prior()";
  return is_called(site, "simt::ptx::wait_for_copies") ? "cp.async.wait_group" : nullptr;
}

/// Is it one that an mbarrier tells of?
bool is_bulk_copy(std::uintptr_t site) {
  return is_called(site, "simt::ptx::bulk_to_shared") ||
         is_called(site, "simt::ptx::tensor_to_shared") ||
         is_called(site, "simt::ptx::store_bytes_async");
}

/// The barriers that two threads of a block came through last: that of the block, and behind it one
/// of the warp. 0: there is none, or the block is not the one at work.
struct LastBarriers {
  std::uintptr_t of_block = 0;
  std::uintptr_t of_warp = 0;
};

LastBarriers last_barriers(const Stamp& one, const Stamp& other) {
  const Block* at_work = detail::current_block;
  if (at_work == nullptr || watch_of(*at_work).order.number() != one.block) return {};
  const BlockWatch& watch = watch_of(*at_work);
  const auto& of_warp = watch.warp_barriers[one.thread / kWarpSize];
  const unsigned lanes = 1U << one.thread % kWarpSize | 1U << other.thread % kWarpSize;
  const bool both = same_warp(one, other) && (of_warp.lanes & lanes) == lanes;
  return {watch.last_barrier, both ? of_warp.site : 0};
}

/// Does the access stand above a barrier that it came behind, in the kernel's own text?
bool is_next_round(const KernelInfo& kernel, std::uintptr_t site, std::uintptr_t barrier) {
  const int line = line_in(kernel, site), passed = line_in(kernel, barrier);
  return line != 0 && passed != 0 && line < passed;
}

/// Do two accesses stand in different rounds of a loop of the kernel? So it is if the barrier that
/// both came through last stands between the two: what stands before a barrier comes after it in
/// the next round only. Where a function was not inlined, the kernel's line of one may not be
/// known: had the two been of one round, they would have raced in the first, which comes through no
/// barrier below them.
bool are_rounds_apart(const KernelInfo& kernel, std::uintptr_t one, std::uintptr_t other,
                      std::uintptr_t barrier) {
  if (barrier == 0) return false;
  const int first = line_in(kernel, one), second = line_in(kernel, other);
  if (first != 0 && second != 0) {
    const int passed = line_in(kernel, barrier);
    return passed != 0 && std::min(first, second) < passed && passed < std::max(first, second);
  }
  return is_next_round(kernel, first != 0 ? one : other, barrier);
}

/// The same for the lines of a function that the kernel calls: in which round, or in which of its
/// calls, the kernel's own lines do not tell.
bool are_calls_apart(std::uintptr_t one, std::uintptr_t other, std::uintptr_t barrier) {
  if (barrier == 0) return false;
  const std::string& function = source_function(barrier);
  if (function.empty() || source_function(one) != function || source_function(other) != function) {
    return false;
  }
  const auto [low, high] = std::minmax(source_line(one).line, source_line(other).line);
  const int passed = source_line(barrier).line;
  return low < passed && passed < high;
}

}  // namespace

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
    return conflict_again(before, before_writes, place, now);
  }
  // A plain read that guesses the old value for a compare-and-swap does no harm.
  const bool reads_first = !before_writes && is_update(place.kind);
  const bool reads_now = place.kind == Access::read && before_writes && is_atomic(before_strength);
  if (reads_first || reads_now) {
    const Stamp& reader = reads_first ? before : now;
    const std::tuple key{reader.block, std::uint32_t{reader.thread}, place.address & ~(kWord - 1)};
    const auto known = mixed_.find(key);
    if (known == mixed_.end()) {
      mixed_.emplace(key, Guess{reader, place.site, other,
                                race_between(before, before_strength, before_writes, place, now)});
    } else if (known->second.race.parties == Parties::warp && crosses_warps(before, now)) {
      known->second.race.parties = Parties::block;
    }
    return;
  }
  // Two that store the same do none, but for one beside an update, which counts on what is there.
  const bool updated = is_atomic(before_strength) || is_atomic(place.kind);
  if (before_writes && is_write(place.kind) && !updated) {
    overwrite_ = Overwrite{before, before_strength, place, now, {}};
    std::memcpy(overwrite_->old, reinterpret_cast<const void*>(place.address), place.size);
    return;
  }
  if (!Findings::instance().is_new(Kind::race, place.site, other)) return;
  hold(race_between(before, before_strength, before_writes, place, now), place.site, other);
}

/// A pair of lines that is known to race does so again, perhaps between other threads or as a
/// write.
void Checker::conflict_again(const Stamp& before, bool before_writes, const Place& place,
                             const Stamp& now) {
  if (races_.empty()) return;
  if (before_writes && is_write(place.kind)) {
    races_.both_write(place.address & ~(kWord - 1), before, now);
  }
  Race* const race = races_.find(place.site, unpack(before.site));
  if (race == nullptr) return;
  if (race->parties == Parties::warp && crosses_warps(before, now)) race->parties = Parties::block;
}

/// The write has happened meanwhile.
void Checker::settle_overwrite() {
  const Overwrite one = *overwrite_;
  overwrite_.reset();
  const bool same =
      std::memcmp(one.old, reinterpret_cast<const void*>(one.place.address), one.place.size) == 0;
  const std::uintptr_t other = unpack(one.before.site);
  races_.both_write(one.place.address & ~(kWord - 1), one.before, one.now);
  if (same || !Findings::instance().is_new(Kind::race, one.place.site, other)) return;
  hold(race_between(one.before, one.before_strength, true, one.place, one.now), one.place.site,
       other);
}

Race Checker::race_between(const Stamp& before, Strength strength, bool writes, const Place& place,
                           const Stamp& now) const {
  Side first = earlier_side(before, strength, writes);
  Side second = later_side(place, now);
  Race race;
  race.word = place.address & ~(kWord - 1);
  race.threads[0] = before;
  race.threads[1] = now;
  race.both_write = writes && is_write(place.kind);
  race.in_shared = ArrayNames::is_shared(place.address);
  race.of_phases = race.in_shared && !watch_of(*detail::current_block).phases.empty();
  race.of_cluster = before.block != now.block &&
                    (race.in_shared || ArrayNames::other_of_cluster(place.address) != nullptr);
  race.of_block_atomic = place.strength == Strength::atomic_in_block;
  race.brought = race.in_shared && writes && is_bulk_copy(unpack(before.site));
  race.element = describe(place.address);
  race.writers = thread_text(before) + " and " + thread_text(now);
  const KernelInfo& kernel = *job_->kernel;
  const LaunchRecord& launch = launches_.back();
  if (before.block == now.block) {
    const bool one_warp = launch.dim.x * launch.dim.y * launch.dim.z <= kWarpSize;
    race.parties = one_warp                 ? Parties::block_of_one_warp
                   : same_warp(before, now) ? Parties::warp
                                            : Parties::block;
    const LastBarriers barriers = last_barriers(before, now);
    race.stretch = barriers.of_block;
    std::uintptr_t passed = 0;
    for (const std::uintptr_t barrier : {barriers.of_warp, barriers.of_block}) {
      // Barriers do not concern a copy.
      if (race.brought || race.between_rounds || race.passed.known()) break;
      passed = barrier;
      race.between_rounds = are_rounds_apart(kernel, first.site, second.site, barrier);
      const bool calls = !race.between_rounds && are_calls_apart(first.site, second.site, barrier);
      if (calls) race.passed = source_line(barrier);
    }
    // Threads run one after another here: that what stands further up came later means nothing, but
    // for the next round of a loop, or call.
    const bool upside_down = race.brought ? false
                             : race.passed.known()
                                 ? source_line(second.site).line > source_line(first.site).line
                             : race.between_rounds ? !is_next_round(kernel, second.site, passed)
                                                   : stands_above(kernel, second.site, first.site);
    if (upside_down) std::swap(first, second);
  } else if (before.block >= launch.first) {
    race.parties = Parties::blocks;
    if (writes) race.unfenced = unfenced_atomic(before, now);
    if (writes && strength == Strength::plain) note_missed_release(race, before, now);
    if (!writes && count_site_ != 0) race.counted = outer_line(count_site_);
    const bool after_atomic = is_atomic(strength) && place.strength == Strength::plain;
    if (after_atomic && uses_by_atomic(now.block, race.word))
      race.ticket = outer_line(unpack(before.site));
  }
  if (race.in_shared) {
    race.refilled = !race.brought && is_write(place.kind) && is_bulk_copy(place.site);
    if (reads_on_ != nullptr) {
      const bool product = !is_called(place.site, "simt::ptx::keep_source");
      race.reads_on = product ? "the product" : "that copy";
      race.read_until = product ? "wgmma.wait_group" : "cp.async.bulk.wait_group.read";
    }
    if (writes) race.waited_by = wait_for_copies(unpack(before.site));
    if (race.waited_by == nullptr && is_write(place.kind)) {
      race.waited_by = wait_for_copies(place.site);
    }
  }
  if (race.parties == Parties::launches) race.variable = names_.variable_at(place.address);
  race.of_long_launch = is_long_launch();
  race.launch = launch_text();
  race.earlier_line = line_in(kernel, first.site);
  race.later_line = line_in(kernel, second.site);
  Finding& finding = race.finding;
  finding.kind = Kind::race;
  finding.kernel = kernel.name;
  if (race.parties == Parties::launches) race.before_kernel = launch_of(before.block).kernel;
  const BlockWatch::EngineCopy* const copy = writes ? written_by_ : nullptr;
  finding.at = line_of(second.site, place, copy);
  finding.other = line_of(first.site, place, copy);
  finding.arrival = arrival_before(race, before, now, copy);
  finding.message = thread_text(second.stamp) + " " + second.makes + " " + race.element + ", " +
                    first.made + " by " + thread_text(first.stamp);
  return race;
}

/// An atomic that `writer` made behind its write with no fence between, on a word that the block of
/// `now` used by an atomic, too: that may have been to tell of the write. Of many blocks not all
/// atomics are remembered; they make the same ones at the same points.
SourceLine Checker::unfenced_atomic(const Stamp& writer, const Stamp& now) const {
  const KernelInfo& kernel = *job_->kernel;
  const int written = line_in(kernel, unpack(writer.site));
  const std::uint32_t first = launches_.back().first;
  SourceLine found;
  const auto look = [&](std::uintptr_t word, const StrongUses& uses) {
    if (log_by_key_.contains(word)) return;  // somebody does tell by it
    const auto is_of_reader = [&](const StrongUse& use) {
      return use.mask != 0 && use.stamp.block == now.block;
    };
    const bool read = std::any_of(std::begin(uses.writes), std::end(uses.writes), is_of_reader) ||
                      std::any_of(std::begin(uses.reads), std::end(uses.reads), is_of_reader);
    if (!read) return;
    for (const StrongUse& use : uses.writes) {
      const bool alike = use.mask != 0 && is_atomic(use.strength) && use.stamp.block >= first &&
                         use.stamp.thread == writer.thread && use.stamp.epoch >= writer.epoch &&
                         use.stamp.clock == writer.clock;
      const int line = line_in(kernel, unpack(use.stamp.site));
      if (!alike || written == 0 || line <= written) continue;
      if (!found.known() || line < found.line) found = outer_line(unpack(use.stamp.site));
    }
  };
  device_.for_each_strong(look);
  symbols_.for_each_strong(look);
  return found;
}

/// What the block of the write released, and that of `now` acquired, without the write.
void Checker::note_missed_release(Race& race, const Stamp& before, const Stamp& now) const {
  const Block* block = detail::current_block;
  if (block == nullptr) return;
  const Release* const missed = watch_of(*block).order.missed(before, now);
  if (missed == nullptr || missed->by.site == 0) return;
  const KernelInfo& kernel = *job_->kernel;
  const std::uintptr_t at = unpack(missed->by.site);
  if (missed->scope == Scope::block) {
    if (missed->fence_scope == Scope::block) race.block_fence = outer_line(at);
    return;
  }
  const int written = line_in(kernel, unpack(before.site)), released = line_in(kernel, at);
  if (written != 0 && written < released) race.early_fence = outer_line(at);
}

/// Has the block used the word by an atomic in this launch?
bool Checker::uses_by_atomic(std::uint32_t block, std::uintptr_t word) const {
  for (const Shadow* shadow : {&device_, &symbols_}) {
    const StrongUses* uses = shadow->known_strong(word);
    if (uses == nullptr) continue;
    for (const StrongUse& use : uses->writes) {
      if (use.mask != 0 && is_atomic(use.strength) && use.stamp.block == block) return true;
    }
  }
  return false;
}

void Checker::hold(Race race, std::uintptr_t site, std::uintptr_t other) {
  races_.add(std::move(race), site, other);
  if (simt_found != nullptr) tell_races();  // a debugger stops where it was found
}

void Checker::tell_races() {
  // What a block does then is undefined; that others are in its way may follow from it.
  if (reads_undefined_shared_) races_.drop_between_blocks();
  for (const Finding& finding : findings_of(races_.take())) Findings::instance().report(finding);
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
    Guess& guess = one->second;
    const bool over = job_ == nullptr || is_over(guess.reader);
    if (!over) {
      ++one;
      continue;
    }
    if (Findings::instance().is_new(Kind::race, guess.site, guess.other)) {
      hold(std::move(guess.race), guess.site, guess.other);
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

}  // namespace simt::inspect
