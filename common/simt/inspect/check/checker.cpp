#include "checker.hpp"

#include <algorithm>
#include <utility>

#include "interface.hpp"
#include "job.hpp"
#include "memory.hpp"
#include "shared_use.hpp"
#include "sites.hpp"

extern "C" char __data_start;
extern "C" char _end;

namespace simt::inspect {

using detail::Block;

Checker& Checker::instance() {
  // Never destroyed: memory is freed while the program ends.
  static Checker& checker = *new Checker;
  return checker;
}

Checker::Checker() {
  symbols_.cover(address_of(&__data_start), address_of(&_end) - address_of(&__data_start));
}

// Its arguments have been named already, and are not named when it runs.
std::function<void()> Checker::launch_recorded() {
  return [this, names = names_.take_arguments()] { names_.set_arguments(names); };
}

void Checker::launch_begins(const detail::Job& job) {
  host_mutex().lock();
  phase_first_ = blocks_ + 1;
  blocks_ += job.grid.x * job.grid.y * job.grid.z;  // of which some may not run
  job_ = &job;
  absent_.launch_begins();
  count_site_ = 0;
  reads_undefined_shared_ = false;
  cluster_in_turn_ = true;
  launches_.push_back({phase_first_, job.kernel->name, job.grid, job.dim, timelines_.last()});
  forget_finished();
  concurrent_.clear();
  if (timelines_.all_ordered()) return;
  for (const RangeUse& use : ranges_) {
    if (!timelines_.ordered(use.operation)) concurrent_.push_back(use);
  }
}

void Checker::launch_ends(const detail::Job& job) {
  read_only_.set(read_only_begin_, read_only_end_ - read_only_begin_, false);
  read_only_begin_ = read_only_end_ = 0;
  absent_.launch_ends(job.error.load());
  if (overwrite_) settle_overwrite();
  job_ = nullptr;
  settle_mixed();
  tell_races();
  names_.set_arguments({});
  log_by_key_.clear();
  logs_.clear();
  host_mutex().unlock();
}

void Checker::block_begins(Block& block) {
  std::unique_ptr<BlockWatch>& watch = watches_[block.shared_memory];
  if (!watch) {
    watch = std::make_unique<BlockWatch>();
    watch->shared.cover(address_of(block.shared_memory), detail::shared_space());
  }
  watch->identity = phase_first_ + static_cast<std::uint32_t>(block.linear_index);
  watch->ended = false;
  watch->has_written = false;
  watch->order.begin(watch->identity, block.thread_count);
  watch->arrays.clear();
  watch->unwritten.clear();
  watch->under_way.clear();
  watch->begun.clear();
  watch->proxy_fences.clear();
  watch->engine_copies.clear();
  watch->sent.clear();
  watch->barriers.clear();
  watch->phases.clear();
  watch->cluster_warps.clear();
  watch->cluster_phases.clear();
  watch->cluster_waited = 0;
  watch->visits.clear();
  watch->register_fences.clear();
  watch->last_barrier = 0;
  watch->warp_barriers = {};
  if (block.dynamic_size != 0) {
    watch->arrays.push_back(
        {address_of(block.shared_memory), block.dynamic_size, BlockWatch::kDynamicAlignment});
  }
  block.watch = watch.get();
}

void Checker::block_ends(const Block& block) {
  if (overwrite_) settle_overwrite();
  tell_unwritten(block);
  tell_left_over(block);
  parts_of_warps(block);
  tell_late_visits(block);
  tell_late_copies(block);
  watch_of(block).ended = true;
  idle_blocks_ += watch_of(block).has_written ? 0 : 1;
}

void Checker::allocated(const detail::MemoryRange& range) {
  const std::lock_guard lock(host_mutex());
  if (memory_.size() == 0) {
    const detail::Memory& all = detail::Memory::instance();
    memory_.cover(all.begin(), all.end() - all.begin());
    device_.cover(memory_.begin(), memory_.size());
    read_only_.cover(memory_.begin(), memory_.size());
  }
  const bool by_host = detail::current_block == nullptr;
  memory_.allocated(range, by_host ? std::optional(host_calls()) : std::nullopt);
}

void Checker::freed(const detail::MemoryRange& range) {
  const std::lock_guard lock(host_mutex());
  std::erase_if(ranges_, [&](const RangeUse& use) {
    return use.begin < range.base + range.size && range.base < use.end();
  });
  memory_.freed(range);
}

void Checker::placed_shared(const Block& block, const std::byte* address, std::size_t size,
                            std::size_t alignment) {
  watch_of(block).arrays.push_back({address_of(address), size, alignment});
}

void watch_access(std::uintptr_t address, unsigned size, Access kind, std::uintptr_t site) {
  if (AtWork::now) return;
  const AtWork at_work;
  Checker::instance().access(address, size, kind, site);
}

void watch_range(std::uintptr_t address, std::size_t size, Access kind, std::uintptr_t site) {
  if (AtWork::now) return;
  const AtWork at_work;
  Checker::instance().access_range(address, size, kind, site);
}

void watch_atomic(std::uintptr_t address, unsigned size, Access kind, int order,
                  std::uintptr_t site) {
  if (AtWork::now) return;
  const AtWork at_work;
  Checker::instance().atomic(address, size, kind, order, site);
}

void watch_subscript(const BadSubscript& subscript, std::uintptr_t site) {
  if (AtWork::now) return;
  const AtWork at_work;
  Checker::instance().subscript(subscript, site);
}

void watch_overflow(const Overflow& overflow, std::uintptr_t site) {
  if (AtWork::now) return;
  const AtWork at_work;
  Checker::instance().overflow(overflow, site);
}

void watch_shift(const std::string& count, int bits, std::uintptr_t site) {
  if (AtWork::now) return;
  const AtWork at_work;
  Checker::instance().shift(count, bits, site);
}

void watch_fence(int order) { Checker::instance().fence(order); }

void watch_shared_name(NamedArray array) { Checker::instance().name_shared(std::move(array)); }

void watch_argument_name(NamedArray array) { Checker::instance().name_argument(std::move(array)); }

}  // namespace simt::inspect

extern "C" {

void simt_watch_release(const void* key) { simt::inspect::Checker::instance().released(key); }

void simt_watch_acquire(const void* key) { simt::inspect::Checker::instance().acquired_all(key); }

void simt_watch_nameless_variables() { simt::inspect::Checker::instance().trust_program_data(); }

void simt_watch_unused(const volatile void* address, std::size_t size) {
  simt::inspect::Checker::instance().old_value_unused(simt::inspect::address_of(address), size);
}

void simt_watch_read_only(const void* address, std::size_t size) {
  const auto site = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  simt::inspect::Checker::instance().reads_only(simt::inspect::address_of(address), size, site);
}

void simt_watch_ignored(const char* call) {
  simt::inspect::Checker::instance().error_ignored(call);
}

void simt_watch_async_proxy(bool begins) { simt::inspect::Checker::instance().async_proxy(begins); }
void simt_watch_read_begins(const void* address, simt::LastWrite* writes) {
  simt::inspect::Checker::instance().async_read_begins(reinterpret_cast<std::uintptr_t>(address),
                                                       writes);
}
void simt_watch_read_ends(const void* address, const simt::CallMark* call,
                          const simt::LastWrite* writes, bool alone) {
  simt::inspect::Checker::instance().async_read_ends(reinterpret_cast<std::uintptr_t>(address),
                                                     *call, writes, alone);
}
void simt_watch_pause(bool begins) { simt::inspect::AtWork::now = begins; }
void simt_watch_proxy_fence() { simt::inspect::Checker::instance().proxy_fence(); }
void simt_watch_block_scope() { simt::inspect::Checker::instance().narrow_scope(); }

const char* simt_capture_place() {
  static std::string text;
  const simt::inspect::SourceLine line = simt::inspect::Checker::instance().capture_breaker();
  text = line.known() ? line.text() : "";
  return text.c_str();
}

}  // extern "C"

std::uint64_t simt_check_work() { return simt::inspect::Checker::instance().work(); }

std::uint64_t simt_check_idle_blocks() { return simt::inspect::Checker::instance().idle_blocks(); }

void simt_check_races(bool on) { simt::inspect::Checker::instance().look_for_races(on); }

void simt_check_bounds(const void* memory, std::uint64_t before, std::uint64_t behind) {
  simt::inspect::Checker::instance().set_bounds(reinterpret_cast<std::uintptr_t>(memory), before,
                                                behind);
}

void simt_check_stop() {
  simt::inspect::Checker::instance().tell_races();
  simt::inspect::Findings::instance().finish();
}

const char* simt_check_written_variable() {
  return simt::inspect::Checker::instance().written_variable();
}

namespace simt::detail {

extern "C" Observer* simt_make_observer() { return &simt::inspect::Checker::instance(); }

}  // namespace simt::detail

namespace {

/// The last word when the program ends, after all its objects are gone.
[[gnu::destructor]] void at_end() {
  simt::inspect::Checker::instance().finish();
  simt::inspect::Findings::instance().finish();
}

}  // namespace
