/// \file
/// Check mode: looks at every access of a program and at what orders them.
///
/// Within a block the verdict does not depend on the order in which the threads happened to run.
/// Between blocks and launches it holds for the atomic operations, events and waits that happened.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "absent_lanes.hpp"
#include "array_names.hpp"
#include "call_lists.hpp"
#include "findings.hpp"
#include "global_memory.hpp"
#include "observer.hpp"
#include "pending_read.hpp"
#include "races.hpp"
#include "range_use.hpp"
#include "records.hpp"
#include "shadow.hpp"
#include "simt/block.hpp"
#include "simt/watching.hpp"
#include "timelines.hpp"
#include "watch.hpp"

namespace simt::inspect {

/// The calls that the host is in, and the innermost line of the learner's own source among them.
std::vector<void*> host_calls();
SourceLine host_line(const std::vector<void*>& calls);
/// The same for calls in which a kernel is launched.
SourceLine launch_line(const std::vector<void*>& calls);

std::string block_text(const detail::Block& block);

class Checker final : public detail::Observer {
 public:
  static Checker& instance();

  /// Of the call that ended a capture before its time, or launched a kernel that did.
  SourceLine capture_breaker() const;

  /// Null if no kernel has written a `__device__` variable.
  const char* written_variable() const { return written_variable_; }

  std::function<void()> launch_recorded() override;
  void launch_begins(const detail::Job& job) override;
  void launch_ends(const detail::Job& job) override;
  void block_begins(detail::Block& block) override;
  void block_ends(const detail::Block& block) override;
  void block_synchronised(const detail::Block& block) override;
  void warp_synchronised(const detail::Block&, unsigned, unsigned) override {
    work_ += detail::kWarpSize;
  }
  void warp_ordered(const detail::Block& block, unsigned warp, unsigned arrived,
                    const void* site) override;
  void grid_synchronised(const detail::Job& job) override;
  void released(const void* key) override;
  void acquired(const detail::Block& owner, const void* key, std::size_t phase) override;
  /// All that has been let known by the object, which has no phases.
  void acquired_all(const void* key);
  void phase_ended(const detail::Block& owner, const void* key) override;
  std::size_t ended_phases(const detail::Block& owner, const void* key) override;
  void released_fenced(const void* key) override;
  void left_out_of_mask(const detail::Block& block, unsigned mask, const void* site) override;
  void masks_differ(const detail::Block& block, unsigned mask, unsigned other,
                    const void* site) override;
  void async_copy_begins(const void* to, std::size_t size, const void* site) override;
  void registers_fenced() override;
  void product_begins(const void* site) override;
  void product_uses(const detail::ProductRegisters& product) override;
  void barrier_made(const void* at, const void* site) override;
  void barriers_fenced() override;
  CallMark remember(const detail::CallSite& call) override;
  void barrier_used(const void* at, bool by_copy, const detail::CallSite& call) override;
  void barrier_ends(const void* at) override;
  void cluster_called(const detail::Block& block, const detail::ClusterCall& call) override;
  void cluster_synchronised(const detail::Cluster& cluster) override;
  void barrier_refused(const detail::Block& block, const std::string& why,
                       const void* site) override;
  std::string name_of(const void* address) const override;
  void async_copy_ends(const void* to) override;
  void copy_sent(const void* from, std::size_t size, const void* barrier,
                 const CallMark& call) override;
  bool asks_for_alignment() const override { return true; }
  unsigned converged(unsigned lanes) override;
  unsigned char absent_lane_read(const detail::Block& block, const detail::LaneRead& read,
                                 const detail::WarpGroup& group) override;
  void deadlocked(const detail::Block& block) override;
  void polls_in_vain(const detail::Block& block, std::uint64_t unstarted) override;
  void grid_deadlocked(const detail::Block& block) override;
  void allocated(const detail::MemoryRange& range) override;
  void freed(const detail::MemoryRange& range) override;
  void written(const void* address, std::size_t size) override;
  void read(const void* address, std::size_t size) override;
  void library_used(std::span<const MemoryUse> uses) override;
  void placed_shared(const detail::Block& block, const std::byte* address, std::size_t size,
                     std::size_t alignment) override;
  void issued(const void* stream, StreamKind kind) override;
  void graph_begins(const void* graph) override;
  void node_begins(std::span<const std::size_t> dependencies) override;
  void graph_ends() override;
  void node_calls_host() override;
  void event_recorded(const void* event, const void* stream) override;
  void stream_waits(const void* stream, const void* event) override;
  void host_waits(const void* stream) override;
  void host_waits_for_event(const void* event) override;
  void host_waits_for_all() override;
  void stream_ends(const void* stream) override;
  void event_ends(const void* event) override;
  void launch_refused(const LaunchConfig& config, const KernelInfo& kernel, int error) override;
  void asked_for_error() override { Findings::instance().take_back_failure(); }
  void capture_broken(bool by_launch) override;

  /// One access of `size` bytes (at most 16) by the instruction that returns to `site`.
  void access(std::uintptr_t address, unsigned size, Access kind, std::uintptr_t site);

  /// An access of any size.
  void access_range(std::uintptr_t address, std::size_t size, Access kind, std::uintptr_t site);

  void atomic(std::uintptr_t address, unsigned size, Access kind, int order, std::uintptr_t site);
  /// The running thread returns from a function whose frame has these addresses.
  void frame_ends(std::uintptr_t begin, std::uintptr_t end);
  void fence(int order);
  void subscript(const BadSubscript& subscript, std::uintptr_t site);
  void overflow(const Overflow& overflow, std::uintptr_t site);
  void shift(const std::string& count, int bits, std::uintptr_t site);
  void trust_program_data() { trusts_program_data_ = true; }
  void narrow_scope() { next_scope_ = Scope::block; }
  void async_proxy(bool begins) { in_async_proxy_ = begins; }
  void proxy_fence();
  void async_read_begins(std::uintptr_t address, LastWrite* writes);
  void async_read_ends(std::uintptr_t address, const CallMark& call, const LastWrite* writes,
                       bool alone);
  /// Of the allocation at `base`, see simt_check_bounds.
  void set_bounds(std::uintptr_t base, std::size_t before, std::size_t behind) {
    memory_.set_bounds(base, before, behind);
  }
  /// Reports the races that are held until the launch ends.
  void tell_races();
  void look_for_races(bool on) { looks_for_races_ = on; }

  /// What kernels have done: accesses to global and shared memory, and threads that met.
  std::uint64_t work() const { return work_; }
  /// How many blocks have written nothing to global memory.
  std::uint64_t idle_blocks() const { return idle_blocks_; }

  /// The running thread reads memory that its kernel may not write.
  void reads_only(std::uintptr_t address, std::size_t size, std::uintptr_t site);

  /// The program throws away what the function of CUDA's by that name has just returned.
  void error_ignored(const char* call);

  void old_value_unused(std::uintptr_t address, std::size_t size) {
    unused_ = address;
    unused_end_ = address + size;
  }

  void name_shared(NamedArray array) { names_.add_shared(std::move(array)); }
  void name_argument(NamedArray array) { names_.add_argument(std::move(array)); }

  /// What is wrong at the end of the program.
  void finish();

 private:
  Checker();

  // accesses.cpp
  void access(const Place& place);
  void host_memory_access(const Place& place);
  void host_polls(const Place& place);
  void device_access(const detail::Block& block, const Place& place);
  void cluster_access(const detail::Block& owner, const Place& place);
  void shared_access(const detail::Block& owner, const Place& place);
  void acquire_first(const void* key, std::size_t most);
  bool is_unfinished(const BlockWatch& watch, const Cell& cell, const Stamp& now) const;
  void used_under_way(const BlockWatch& owner, const CopyUnderWay& copy, const Place& place,
                      const Stamp& now);
  void compare_proxies(BlockWatch& watch, const Cell& cell, const Stamp& now, const Place& place);
  void other_access(const detail::Block& block, const Place& place);
  void look_for_unwritten(const Stamp& now, const Place& place);
  bool uses_old_value(const Place& place) const;
  bool is_local(const detail::Block& block, std::uintptr_t address) const;
  Stamp stamp(const detail::Block& block, std::uintptr_t site) const;
  void changes_read_only(const Place& place);
  void note_words(Shadow& shadow, const Stamp& now, const Place& place);
  bool is_unused(std::uintptr_t address) const { return address - unused_ < unused_end_ - unused_; }
  bool ordered(const Stamp& before, const Stamp& now) const;
  const LaunchRecord& launch_of(std::uint32_t block) const;

  // words.cpp
  void note(Shadow& shadow, std::uintptr_t word, const Stamp& now, const Place& place);
  void compare_writes(Shadow& shadow, std::uintptr_t word, unsigned mask, const Stamp& now,
                      const Place& place);
  void compare_reads(Shadow& shadow, std::uintptr_t word, unsigned mask, const Stamp& now,
                     const Place& place);
  void compare_strong(const StrongUses& uses, unsigned mask, const Stamp& now, const Place& place);
  void remember_read(Shadow& shadow, std::uintptr_t word, unsigned mask, const Stamp& now);
  static void remember_write(Shadow& shadow, std::uintptr_t word, unsigned mask, const Stamp& now);
  void remember_strong(Shadow& shadow, std::uintptr_t word, unsigned mask, const Stamp& now,
                       const Place& place);

  // copies.cpp
  void compare_sent(const BlockWatch& watch, const Place& place, const Stamp& now);
  void tell_late_copies(const detail::Block& block);

  // operations.cpp
  void copy_uses(std::uintptr_t address, std::size_t size, bool writes);
  void use_range(const RangeUse& use);
  void forget_finished();
  template <class F>
  std::optional<WordUse> find_use(std::uintptr_t word, bool reads_too, const F& wanted);
  std::optional<WordUse> unordered_use(std::uintptr_t word, bool writes);
  std::uintptr_t unordered_word(const RangeUse& use);
  std::string used_by(const WordUse& use);
  void race_of_host(std::string message, const SourceLine& other);
  void compare_with_ranges(const Place& place);
  void compare_with_launches(const Place& place);

  // library.cpp
  void library_use(const MemoryUse& use);

  // synchronisation.cpp
  void synchronise_by(const Place& place, int order);
  ReleaseLog& log_of(std::uintptr_t key);
  void divergent_exit(const detail::Block& block);
  bool stands_between_races(const SourceLine& barrier) const;
  void different_places(const detail::Block& block);
  void stuck_lanes(const detail::Block& block);

  // meetings.cpp
  void barrier_race(const detail::Block& block, const Place& use,
                    const BlockWatch::MadeBarrier& barrier, const char* does, const char* what,
                    const char* cure);
  void visit(const detail::Block& owner, const Stamp& now, std::uintptr_t address);
  void tell_late_visits(const detail::Block& block);
  void late_visit(const detail::Block& block, const BlockWatch::Visit& visit);
  void part_of_warp(const detail::Block& block, unsigned warp, BlockWatch::ClusterMeeting& meeting);
  void parts_of_warps(const detail::Block& block);

  // absent_lanes.cpp
  void report_absent(const detail::Block& block, const detail::LaneRead& read,
                     const detail::WarpGroup& group);

  // calls.cpp
  using EngineCopy = BlockWatch::EngineCopy;
  SourceLine line_of(std::uintptr_t site, const Place& place, const EngineCopy* copy) const;
  SourceLine arrival_before(const Race& race, const Stamp& before, const Stamp& now,
                            const EngineCopy* copy) const;

  // conflicts.cpp
  void conflict(const Stamp& before, Strength before_strength, bool before_writes,
                const Place& place, const Stamp& now);
  void conflict_again(const Stamp& before, bool before_writes, const Place& place,
                      const Stamp& now);
  Race race_between(const Stamp& before, Strength strength, bool writes, const Place& place,
                    const Stamp& now) const;
  SourceLine unfenced_atomic(const Stamp& writer, const Stamp& now) const;
  void note_missed_release(Race& race, const Stamp& before, const Stamp& now) const;
  bool uses_by_atomic(std::uint32_t block, std::uintptr_t word) const;
  void hold(Race race, std::uintptr_t site, std::uintptr_t other);
  void settle_overwrite();
  void trust_mixed(const Place& place);
  void settle_mixed();
  bool is_over(const Stamp& stamp) const;

  // arithmetic.cpp
  template <class What>
  void undefined_result(std::uintptr_t site, const What& what, const std::string& cure);

  // unwritten.cpp
  void tell_unwritten(const detail::Block& block);
  void tell_left_over(const detail::Block& block);
  void uninitialised(const Place& place, const Stamp& now, std::uintptr_t first);
  void report_unwritten(std::uintptr_t site, const std::string& reader, std::uintptr_t first);
  void unfinished_copy(const EarlyRead& early);
  std::string cure_of_unwritten(std::uintptr_t first);
  std::string cure_of_unwritten_shared(std::uintptr_t first);
  std::string filled_element_behind(std::uintptr_t address) const;

  // registers.cpp
  void parts_of_warpgroups(const detail::Block& block);
  RegisterFence& own_fence();
  void local_access(const Place& place);
  void touched_too_early(const Place& place, const detail::ProductUnderWay& product);
  void changed_unfenced(const detail::ProductRegisters& product,
                        const RegisterFence::Change& change, const char* of);

  // reports.cpp
  void out_of_bounds(const Place& place);
  std::size_t bytes_past_end(const Place& place) const;
  void misaligned(const Place& place);
  std::string cure_of_misaligned(const Place& place) const;
  void aligned_by_chance(const Place& place, std::size_t alignment);
  void report_place(Kind kind, const Place& place, const std::function<std::string()>& message,
                    std::string cure);
  void report(Finding finding);
  [[noreturn]] void end_kernel();
  std::string thread_text(const Stamp& stamp) const;
  std::string who(const detail::Block* block) const;
  /// Whether the launch at work has more threads than an int counts.
  bool is_long_launch() const;
  /// The kernel at work. Where its launch is so long, which may be what is wrong, with its grid and
  /// block: `fill<<<16777217, 256>>>`.
  std::string launch_text() const;

  std::string describe(std::uintptr_t address) const { return names_.describe(address); }

  GlobalMemory memory_;
  ArrayNames names_{memory_};
  AbsentLanes absent_;
  Shadow device_;   ///< what happened to it
  Shadow symbols_;  ///< the program's own variables
  bool trusts_program_data_ = false;
  bool in_library_ = false;        ///< what runs is a library's call, not a thread of the learner's
  bool looks_for_races_ = true;    ///< in global memory
  std::uintptr_t count_site_ = 0;  ///< of the last atomic on global memory that is used
  std::uint64_t work_ = 0;
  bool reads_undefined_shared_ = false;  ///< some thread of the launch
  std::uint64_t idle_blocks_ = 0;
  WrittenBits read_only_;                                   ///< that the launch reads by __ldg
  std::uintptr_t read_only_begin_ = 0, read_only_end_ = 0;  ///< where they are; the same: nowhere
  /// The program's variable that was used last: where it lies, and its name.
  std::uintptr_t symbol_begin_ = 0, symbol_end_ = 0;
  const char* symbol_ = nullptr;
  const char* written_variable_ = nullptr;                           ///< that a kernel wrote last
  std::map<const std::byte*, std::unique_ptr<BlockWatch>> watches_;  ///< by shared memory
  /// Plain reads beside atomic updates, by block, thread and word.
  std::map<std::tuple<std::uint32_t, unsigned, std::uintptr_t>, Guess> mixed_;

  bool in_range_ = false;               ///< the access is a part of a range
  bool in_async_proxy_ = false;         ///< it is a copy engine's, or a tensor core's
  const CallMark* reads_on_ = nullptr;  ///< what is compared is a read that was under way until now
  /// Of the word that is compared: the copy that wrote it last, if a copy engine did.
  const BlockWatch::EngineCopy* written_by_ = nullptr;
  CallMark call_;                    ///< the last one of an mbarrier's functions
  const void* called_at_ = nullptr;  ///< and which mbarrier's
  CallLists calls_;
  unsigned long long moment_ = 0;
  BlockWatch* copying_to_ =
      nullptr;  ///< whose shared memory a copy has written that has told nobody yet
  std::uint32_t blocks_ = 0;
  std::uint32_t phase_first_ = 1;  ///< numbers of the launch's blocks since its last grid barrier
  const detail::Job* job_ = nullptr;
  std::vector<LaunchRecord> launches_;
  Timelines timelines_;
  std::vector<RangeUse> ranges_;      ///< that the host may not have waited for
  std::vector<RangeUse> concurrent_;  ///< with the running launch

  std::vector<std::unique_ptr<ReleaseLog>> logs_;
  std::unordered_map<std::uintptr_t, ReleaseLog*> log_by_key_;
  std::unordered_set<std::uintptr_t> released_;        ///< words that kernels wrote after a fence
  HeldRaces races_;                                    ///< of the launch at work
  std::optional<Overwrite> overwrite_;                 ///< the last access, if it is one
  std::unordered_set<std::uintptr_t> early_products_;  ///< whose sums were used before their wait
  bool cluster_in_turn_ = true;  ///< no thread of the launch has called the same half twice
  Scope next_scope_ = Scope::device;
  /// The address of the next atomic operation, if its old value is not used.
  std::uintptr_t unused_ = 0, unused_end_ = 0;
  std::uintptr_t loaded_ = 0;  ///< what was read atomically last

  std::vector<void*> capture_breakers_;  ///< the calls that the host was in
  bool capture_broken_by_launch_ = false;
};

}  // namespace simt::inspect
