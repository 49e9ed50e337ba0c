#include "counter.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "job.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "shared_use.hpp"
#include "simt/async_copy.hpp"

namespace simt::inspect {
namespace {

using detail::Block;
using detail::kWarpSize;

/// Of the stack of a thread, above what runs now.
constexpr std::size_t kStack = 256 * 1024;

/// Events that are kept at most, 8 bytes each. Beyond, what is there is merged, although lanes are
/// missing that are yet to run.
constexpr std::size_t kMostHeld = std::size_t{1} << 25;

/// The instructions at the start of a function, before it says that it was entered.
constexpr std::uintptr_t kPrologue = 256;

/// What the counter calls may tell of its accesses itself: the linker keeps one copy of an inline
/// function of C++'s library, perhaps a kernel's.
bool is_busy = false;

class Busy {
 public:
  Busy() { is_busy = true; }
  ~Busy() { is_busy = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
};

std::uintptr_t address_of(const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

Extent extent_of(const uint3& size) { return {size.x, size.y, size.z}; }

BlockTrace& trace_of(const Block& block) { return *static_cast<BlockTrace*>(block.watch); }

Traffic traffic_of(bool shared, Access kind) {
  if (is_update(kind)) {
    return shared ? Traffic::shared_atomic : Traffic::global_atomic;
  }
  if (is_read(kind)) return shared ? Traffic::shared_load : Traffic::global_load;
  return shared ? Traffic::shared_store : Traffic::global_store;
}

}  // namespace

Counter& Counter::instance() {
  // Never destroyed: it is asked when the program ends.
  static Counter& counter = *new Counter;
  return counter;
}

void Counter::launch_begins(const detail::Job& job) {
  const Busy busy;
  const detail::Memory& memory = detail::Memory::instance();
  device_begin_ = memory.begin();
  device_size_ = memory.end() - memory.begin();
  shared_size_ = detail::shared_space();
  job_ = &job;
  std::fill(std::begin(variables_), std::end(variables_), Variable{});
  launch_ = {};
  launch_.name = job.kernel->name;
  launch_.source = {job.kernel->file, job.kernel->line};
  launch_.grid = extent_of(job.grid);
  launch_.block = extent_of(job.dim);
  launch_.dynamic_shared = job.dynamic_shared;
  launch_.launches = 1;
}

void Counter::launch_ends(const detail::Job&) {
  const Busy busy;
  job_ = nullptr;
  profile_.add(launch_);
  if (asked_) recorded_.add(launch_);
}

void Counter::name_shared(NamedArray array) {
  const Block* block = detail::current_block;
  if (block == nullptr || job_ == nullptr) return;
  array.base -= address_of(block->shared_memory);
  launch_.shared.try_emplace(array.base, std::move(array));
}

void Counter::record() {
  asked_ = true;
  recorded_.clear();
  copied_bytes_ = 0;
  moved_.clear();
}

void Counter::block_begins(Block& block) {
  const Busy busy;
  std::unique_ptr<BlockTrace>& trace = traces_[block.shared_memory];
  if (!trace) trace = std::make_unique<BlockTrace>();
  for (WarpTrace& warp : trace->warps) {  // of a kernel that ended early
    held_ -= warp.events();
    warp.clear();
  }
  trace->edges = {};
  trace->number = ++blocks_;
  trace->warps.resize((block.thread_count + kWarpSize - 1) / kWarpSize);
  trace->warp = 0;
  trace->frames.resize(block.thread_count);
  for (auto& frames : trace->frames) frames.clear();
  trace->accesses.assign(block.thread_count, 0);
  trace->copied_beside.assign(block.thread_count, 0);
  block.watch = trace.get();
}

void Counter::block_ends(const Block& block) {
  const Busy busy;
  const std::uint64_t busy_before = launch_.work.threads;
  const BlockTrace& trace = trace_of(block);
  for (const std::uint32_t accesses : trace.accesses) {
    launch_.work += {accesses > 0 ? 1U : 0U, accesses, accesses};
  }
  const std::uint64_t ahead =
      std::accumulate(trace.copied_beside.begin(), trace.copied_beside.end(), std::uint64_t{0});
  launch_.work.bytes_ahead = std::max(launch_.work.bytes_ahead, ahead);
  if (launch_.work.threads == busy_before) ++launch_.work.idle_blocks;
  merge_all(block);
  trace_of(block).edges.count(launch_.instructions);
}

void Counter::block_synchronised(const Block& block) {
  const Busy busy;
  ++launch_.work.barriers;
  merge_all(block);
}

void Counter::warp_synchronised(const Block& block, unsigned warp, unsigned arrived) {
  const Busy busy;
  ++launch_.meetings;
  WarpTrace& trace = trace_of(block).warps[warp];
  const unsigned exited = block.exited_lanes(warp);
  // Lanes that have met some others, and ended, may be ahead of these here.
  if ((arrived | exited) == ~0U && !trace.has_met(exited & ~arrived)) {
    merge(trace_of(block), trace);
  } else {
    trace.meet(arrived);
    held_ += static_cast<std::size_t>(std::popcount(arrived));
  }
}

void Counter::merge(BlockTrace& block, WarpTrace& warp) {
  held_ -= warp.events();
  Reuse reuse{moved_, block.edges, block.number};
  warp.merge(instructions_, launch_.instructions, asked_ ? &reuse : nullptr);
}

void Counter::merge_all(const Block& block) {
  BlockTrace& trace = trace_of(block);
  for (WarpTrace& warp : trace.warps) merge(trace, warp);
}

/// Threads start in order: when a thread of another warp runs and none waits, the warp before has
/// ended.
void Counter::leave_warp(const Block& block, BlockTrace& trace, unsigned warp) {
  const bool started =
      block.next_thread >= std::min((trace.warp + 1) * kWarpSize, block.thread_count);
  if (!block.on_fibers || (started && block.fibers_in_use == 1))
    merge(trace, trace.warps[trace.warp]);
  trace.warp = warp;
}

Counter::Place Counter::place_of(const Block& block, std::uintptr_t address, std::uintptr_t frame) {
  if (address - device_begin_ < device_size_) return Place::global;
  if (address - address_of(block.shared_memory) < shared_size_) return Place::shared;
  if (address - frame < kStack) return Place::other;
  return is_variable(address) ? Place::global : Place::other;
}

/// In device memory that is not in the device's range of addresses: a variable.
bool Counter::is_variable(std::uintptr_t address) {
  Variable& known = variables_[(address >> 2) % kVariables];
  if (known.address != address) {
    const auto range = detail::Memory::instance().find(reinterpret_cast<void*>(address));
    known = {address, range && (range->kind != detail::MemoryKind::symbol ||
                                range->flags != detail::kConstantSymbol)};
  }
  return known.is;
}

void Counter::access(std::uintptr_t address, unsigned size, Access kind, std::uintptr_t site,
                     std::uintptr_t frame) {
  const Block* block = detail::current_block;
  if (block == nullptr || job_ == nullptr) return;
  const Place place = place_of(*block, address, frame);
  if (place == Place::other) return;
  BlockTrace& trace = trace_of(*block);
  const unsigned thread = block->running_thread();
  const unsigned warp = thread / kWarpSize;
  if (!copies_ || trace.accesses[thread] == 0) ++trace.accesses[thread];
  const unsigned lane = thread % kWarpSize;
  if (warp != trace.warp) leave_warp(*block, trace, warp);
  const bool shared = place == Place::shared;
  if (shared) address -= address_of(block->shared_memory);
  if (shared && is_read(kind) && launch_.work.async_copies > 0) {
    std::uint32_t& most = trace.copied_beside[thread];
    most = std::max(most, static_cast<std::uint32_t>(detail::async_bytes_under_way()));
  }
  const Instruction instruction{path_of(trace, thread, frame), site, traffic_of(shared, kind),
                                static_cast<std::uint8_t>(size), kind == Access::atomic_read};
  const InstructionId id = instructions_.id_of(instruction);
  if (copies_) return add_to_copy(id, instruction, address);
  WarpTrace& lanes = trace.warps[warp];
  if (is_update(kind) && lanes.make_update(lane, address, id, instructions_)) return;
  lanes.add(lane, address, id);
  if (++held_ > kMostHeld) {
    launch_.cut = true;
    merge_all(*block);
  }
}

// A copy engine asks for whole sectors: its accesses are counted as many at a time as lanes of a
// warp.

void Counter::copy_engine(bool begins) {
  copies_ = begins;
  for (const auto& [id, request] : of_copies_) count_copy(id, request);
  of_copies_.clear();
}

void Counter::add_to_copy(InstructionId id, const Instruction& instruction,
                          std::uintptr_t address) {
  Request& request = of_copies_[id];
  if (request.count == kLanes) {
    count_copy(id, request);
    request.count = 0;
  }
  request.size = instruction.size;
  request.lanes[request.count] = static_cast<std::uint8_t>(request.count);
  request.addresses[request.count++] = address;
}

void Counter::count_copy(InstructionId id, const Request& request) {
  if (id == Instructions::kOther || job_ == nullptr) return;
  std::vector<Counts>& counts = launch_.instructions;
  counts.resize(std::max(counts.size(), instructions_.size()));
  const Traffic traffic = instructions_[id].traffic;
  count_request(request, traffic, counts[id]);
  if (!asked_) return;
  BlockTrace& trace = trace_of(*detail::current_block);
  Reuse reuse{moved_, trace.edges, trace.number};
  reuse.add(request, traffic, id, counts[id]);
}

void Counter::step(std::uintptr_t site, std::uintptr_t frame) {
  const Block* block = detail::current_block;
  if (block == nullptr || job_ == nullptr) return;
  BlockTrace& trace = trace_of(*block);
  const unsigned thread = block->running_thread();
  const unsigned warp = thread / kWarpSize;
  if (warp >= trace.warps.size()) return;  // none has been chosen yet
  if (warp != trace.warp) leave_warp(*block, trace, warp);
  const InstructionId id = instructions_.id_of({path_of(trace, thread, frame), site});
  if (instructions_.is_skipped(id)) return;
  held_ += trace.warps[warp].step(thread % kWarpSize, id, instructions_);
}

void Counter::access_range(std::uintptr_t address, std::size_t size, Access kind,
                           std::uintptr_t site, std::uintptr_t frame) {
  const std::uintptr_t alignment = address | size | 4;
  const std::size_t part = alignment & (~alignment + 1);
  for (std::size_t done = 0; done < size; done += part) {
    access(address + done, static_cast<unsigned>(part), kind, site, frame);
  }
}

// Before a thread has been chosen, a block's own loop over its threads is entered, on its fiber.
void Counter::call(std::uintptr_t caller, std::uintptr_t function, std::uintptr_t frame) {
  const Block* block = detail::current_block;
  if (block == nullptr || job_ == nullptr) return;
  const auto loop = reinterpret_cast<std::uintptr_t>(job_->operations->run);
  if (function - loop < kPrologue) return;
  BlockTrace& trace = trace_of(*block);
  const unsigned thread = block->running_thread();
  if (thread >= trace.frames.size()) return;
  const CallPath path = instructions_.enter(path_of(trace, thread, frame), caller);
  trace.frames[thread].push_back({frame, path});
}

void Counter::leave(std::uintptr_t frame) {
  const Block* block = detail::current_block;
  if (block == nullptr || job_ == nullptr) return;
  const unsigned thread = block->running_thread();
  std::vector<std::vector<BlockTrace::Frame>>& frames = trace_of(*block).frames;
  if (thread < frames.size() && !frames[thread].empty() && frames[thread].back().address == frame) {
    frames[thread].pop_back();
  }
}

/// The innermost function that the thread is in. Frames on another stack are none of its own.
CallPath Counter::path_of(const BlockTrace& trace, unsigned thread, std::uintptr_t frame) const {
  const std::vector<BlockTrace::Frame>& frames = trace.frames[thread];
  for (std::size_t i = frames.size(); i-- > 0;) {
    if (frames[i].address - frame < kStack) return frames[i].path;
  }
  return 0;
}

}  // namespace simt::inspect

namespace simt::inspect {
namespace {

template <class Call>
[[gnu::always_inline]] inline void count(Call&& call) {
  if (is_busy) return;
  const Busy busy;
  call(Counter::instance());
}

[[gnu::always_inline]] inline std::uintptr_t here() {
  return address_of(__builtin_frame_address(0));
}

}  // namespace

void watch_access(std::uintptr_t address, unsigned size, Access kind, std::uintptr_t site) {
  count([&](Counter& counter) { counter.access(address, size, kind, site, here()); });
}

void watch_range(std::uintptr_t address, std::size_t size, Access kind, std::uintptr_t site) {
  count([&](Counter& counter) { counter.access_range(address, size, kind, site, here()); });
}

void watch_atomic(std::uintptr_t address, unsigned size, Access kind, int, std::uintptr_t site) {
  count([&](Counter& counter) { counter.access(address, size, kind, site, here()); });
}

extern "C" void simt_watch_copy_engine(bool begins) {
  count([&](Counter& counter) { counter.copy_engine(begins); });
}

void watch_fence(int) {}

void watch_shared_name(NamedArray array) {
  count([&](Counter& counter) { counter.name_shared(std::move(array)); });
}

// Check mode tells of these.
void watch_subscript(const BadSubscript&, std::uintptr_t) {}
void watch_overflow(const Overflow&, std::uintptr_t) {}
void watch_shift(const std::string&, int, std::uintptr_t) {}

// Of global memory reports name lines, not arrays.
void watch_argument_name(NamedArray) {}  // NOLINT(performance-unnecessary-value-param)

void watch_step(std::uintptr_t site, std::uintptr_t frame) {
  count([&](Counter& counter) { counter.step(site, frame); });
}

void watch_call(std::uintptr_t caller, std::uintptr_t function, std::uintptr_t frame) {
  count([&](Counter& counter) { counter.call(caller, function, frame); });
}

void watch_return(std::uintptr_t frame, std::uintptr_t /*end*/) {
  count([&](Counter& counter) { counter.leave(frame); });
}

}  // namespace simt::inspect

namespace simt::detail {

extern "C" Observer* simt_make_observer() {
  simt::inspect::keep_reporting();
  return &simt::inspect::Counter::instance();
}

}  // namespace simt::detail
