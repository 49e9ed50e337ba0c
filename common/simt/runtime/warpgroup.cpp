// wgmma for a warp that has met, and what is wrong with a call.
#include "simt/ptx/warpgroup.hpp"

#include <algorithm>
#include <cstdio>

#include "group_queue.hpp"
#include "observer.hpp"
#include "pending_read.hpp"
#include "suspend.hpp"
#include "waiting.hpp"
#include "warpgroup_products.hpp"
#include "worker.hpp"

namespace simt::ptx {
namespace {

using detail::Block;

constexpr unsigned kWarps = 4;  // of a warpgroup
constexpr const char* kCall = "wgmma.mma_async";

/// Inputs of products.
struct InputRead : detail::PendingRead {
  using PendingRead::PendingRead;
};

/// The variables that are the sums of a product, until it is waited for.
struct SumsUnderWay {
  struct Range {
    const std::byte* begin;
    const std::byte* end;
  };
  const void* begun = nullptr;
  std::vector<Range> ranges;

  const void* site() const { return begun; }
};

/// A thread has called wgmma.fence, or been told that it has not.
struct FenceBefore {};

/// Notes that of the running thread. True the first time.
bool note_fence() {
  detail::GroupQueue<FenceBefore>& queue = detail::own_queue<FenceBefore>();
  if (!queue.empty()) return false;
  queue.push({});
  return true;
}

[[noreturn]] void refuse_product(const char* why) {
  Block& block = detail::require_fiber(kCall);
  detail::stop_kernel(block, cudaErrorIllegalInstruction, "simt: %s in %s, warp %u: %s", kCall,
                      detail::describe(block).text, warp_id(), why);
}

const WgmmaLane& warpgroup_lane(void* const* slots, int lane) {
  return *static_cast<const WgmmaLane*>(slots[lane]);
}

bool is_same(const WgmmaLane& a, const WgmmaLane& b) {
  return a.a_descriptor == b.a_descriptor && a.b_descriptor == b.b_descriptor &&
         a.flags.add == b.flags.add;
}

/// The last byte that a product reads of a matrix has to be the block's own.
void require_in_block(const SharedMatrix& matrix, std::uint32_t lines, std::uint32_t k,
                      std::uint32_t element_bytes) {
  const Block& block = *detail::current_block;
  const auto used = static_cast<std::ptrdiff_t>(std::max(block.shared_used, block.dynamic_size));
  const std::byte* const first = matrix.base;
  const std::byte* const last = std::max(matrix.piece(lines - 1, k - 1, element_bytes),
                                         matrix.piece(7, k - 1, element_bytes));
  if (first < block.shared_memory || last + 16 > block.shared_memory + used) {
    refuse_product("a matrix leaves the block's shared memory");
  }
}

}  // namespace

SharedMatrix shared_matrix(std::uint64_t descriptor, bool transposed) {
  constexpr std::uint64_t kField = 0x3FFF;  // of 14 bits, in units of 16 bytes
  const auto field = [=](int bit) {
    return static_cast<std::uint32_t>(descriptor >> bit & kField) * 16;
  };
  constexpr unsigned kSwizzleBytes[] = {16, 128, 64, 32};
  if ((descriptor >> 49 & 7) != 0)
    refuse_product("a descriptor's base offset is 0 on the CPU backend");
  return {detail::current_block->shared_memory + field(0), field(16), field(32),
          kSwizzleBytes[descriptor >> 62], transposed};
}

void push_input(const ProductInput& input) {
  detail::Observer* const watching = detail::observer();
  if (watching != nullptr && note_fence()) watching->unfenced_product(__builtin_return_address(0));
  InputRead read(__builtin_return_address(0));
  input.visit_share([&](const std::byte* piece) { read.begin(piece); });
  detail::own_queue<InputRead>().push(std::move(read));
}

void push_product() { detail::own_queue<InputRead>().push(InputRead{}); }

void hold_sums(void* const* places, std::size_t count) {
  constexpr std::size_t kRegister = 4;  // bytes
  SumsUnderWay sums{__builtin_return_address(0), {}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto* const place = static_cast<const std::byte*>(places[i]);
    if (sums.ranges.empty() || sums.ranges.back().end != place) {
      sums.ranges.push_back({place, place});
    }
    sums.ranges.back().end = place + kRegister;
  }
  detail::own_queue<SumsUnderWay>().push(std::move(sums));
}

void close_products() {
  detail::own_queue<InputRead>().close();
  detail::own_queue<SumsUnderWay>().close();
}

// In time alone: what orders memory between the warps is theirs to write.
void warpgroup_fence() {
  static constexpr char kKeys[detail::kMaxThreads / (kWarps * 32)] = {};
  Block& block = detail::require_fiber("wgmma.fence");
  if (block.thread_count < kWarps * 32) refuse_product("a warpgroup is four warps");
  if (detail::observer() != nullptr) note_fence();
  detail::meet_named(block, &kKeys[warp_id() / kWarps], kWarps * 32);
}

// A product is the whole warpgroup's: when one warp has waited for it, the others' parts are done,
// too. So here all four meet, and nobody goes on to tell others that it is done before all have
// looked.
void wait_for_products(std::uint32_t pending) {
  static constexpr char kKeys[detail::kMaxThreads / (kWarps * 32)] = {};
  detail::GroupQueue<SumsUnderWay>& sums = detail::own_queue<SumsUnderWay>();
  for (SumsUnderWay done; sums.pop(done, pending);) {
  }
  detail::GroupQueue<InputRead>& queue = detail::own_queue<InputRead>();
  InputRead read;
  if (!queue.pop(read, pending)) return;
  Block& block = detail::require_fiber("wgmma.wait_group");
  detail::let_others_run(block);
  do {
    read.end(false);
  } while (queue.pop(read, pending));
  detail::meet_named(block, &kKeys[warp_id() / kWarps], kWarps * 32);
}

void multiply_warpgroup(const Wgmma& form, void* const* slots, unsigned lanes) {
  wmma::require_whole_warp(lanes, kCall);
  const WgmmaLane& first = warpgroup_lane(slots, 0);
  for (int lane = 1; lane < 32; ++lane) {
    if (!is_same(first, warpgroup_lane(slots, lane))) {
      refuse_product("the lanes' descriptors or flags differ; expected one for all");
    }
  }
  if (detail::current_block->thread_count < kWarps * 32) {
    refuse_product("a warpgroup is four warps, the first of them a multiple of four");
  }
  WarpgroupFactors factors{};
  if (first.a == nullptr) {
    factors.a = shared_matrix(first.a_descriptor, first.flags.transpose_a);
    require_in_block(factors.a, 64, static_cast<std::uint32_t>(form.k), bytes_of(form.a));
  }
  factors.b = shared_matrix(first.b_descriptor, first.flags.transpose_b);
  require_in_block(factors.b, static_cast<std::uint32_t>(form.n),
                   static_cast<std::uint32_t>(form.k), bytes_of(form.b));
  factors.first_row = warp_id() % kWarps * 16;
  multiply_warpgroup_rows(form, slots, factors);
}

}  // namespace simt::ptx

simt::detail::LeftOver simt::detail::product_left_over(const Block& block) {
  const LeftOver sums = left_over<ptx::SumsUnderWay>(block);
  return sums.site != nullptr ? sums : left_over<ptx::InputRead>(block);
}

const void* simt::detail::product_under_way(const void* variable, std::size_t size) {
  BlockQueues<ptx::SumsUnderWay>* const queues = find_queues<ptx::SumsUnderWay>(current_block);
  if (queues == nullptr || queues->generation != current_block->generation) return nullptr;
  const auto* const begin = static_cast<const std::byte*>(variable);
  const void* found = nullptr;
  queues->threads[current_block->running_thread()].visit([&](const ptx::SumsUnderWay& sums) {
    for (const auto& range : sums.ranges) {
      if (found == nullptr && begin < range.end && range.begin < begin + size) found = sums.begun;
    }
  });
  return found;
}
