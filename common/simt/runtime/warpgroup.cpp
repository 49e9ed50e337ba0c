// wgmma for a warp that has met, and what is wrong with a call.
#include "simt/ptx/warpgroup.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

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

using detail::ProductRegisters;

/// Places of registers, those that follow each other as one; null is none.
std::vector<ProductRegisters::Range> ranges_of(const void* const* places, std::size_t count) {
  constexpr std::size_t kRegister = 4;  // bytes
  std::vector<ProductRegisters::Range> ranges;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* const place = static_cast<const std::byte*>(places[i]);
    if (place == nullptr) continue;
    if (ranges.empty() || ranges.back().end != place) ranges.push_back({place, place});
    ranges.back().end = place + kRegister;
  }
  return ranges;
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
  const detail::CallSite call = detail::call_site();
  if (detail::observer() != nullptr) detail::observer()->product_begins(call.site);
  InputRead read(detail::remember(call));
  input.visit_share([&](const std::byte* piece) { read.begin(piece); });
  detail::own_queue<InputRead>().push(std::move(read));
}

void push_product() { detail::own_queue<InputRead>().push(InputRead{}); }

void hold_registers(const RegisterPlaces& places) {
  ProductRegisters held{__builtin_return_address(0), places.shape,
                        ranges_of(places.sums, places.sum_count),
                        ranges_of(places.factors, places.factor_count)};
  if (detail::observer() != nullptr) detail::observer()->product_uses(held);
  detail::own_queue<ProductRegisters>().push(std::move(held));
}

void close_products() {
  detail::own_queue<InputRead>().close();
  detail::own_queue<ProductRegisters>().close();
}

// In time alone: what orders memory between the warps is theirs to write.
void warpgroup_fence() {
  static constexpr char kKeys[detail::kMaxThreads / (kWarps * 32)] = {};
  Block& block = detail::require_fiber("wgmma.fence");
  if (block.thread_count < kWarps * 32) refuse_product("a warpgroup is four warps");
  if (detail::observer() != nullptr) detail::observer()->registers_fenced();
  detail::meet_named(block, &kKeys[warp_id() / kWarps], kWarps * 32,
                     {"wgmma.fence", __builtin_return_address(0)});
}

// A product is the whole warpgroup's: when one warp has waited for it, the others' parts are done,
// too. So here all four meet, and nobody goes on to tell others that it is done before all have
// looked.
void wait_for_products(std::uint32_t pending) {
  static constexpr char kKeys[detail::kMaxThreads / (kWarps * 32)] = {};
  detail::GroupQueue<ProductRegisters>& held = detail::own_queue<ProductRegisters>();
  for (ProductRegisters done; held.pop(done, pending);) {
  }
  detail::GroupQueue<InputRead>& queue = detail::own_queue<InputRead>();
  InputRead read;
  if (!queue.pop(read, pending)) return;
  Block& block = detail::require_fiber("wgmma.wait_group");
  detail::let_others_run(block);
  do {
    read.end(false);
  } while (queue.pop(read, pending));
  detail::meet_named(block, &kKeys[warp_id() / kWarps], kWarps * 32,
                     {"wgmma.wait_group", __builtin_return_address(0)});
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

namespace simt::detail {
namespace {

/// The running thread's products under way, or null if its block has none.
GroupQueue<ProductRegisters>* held_registers() {
  BlockQueues<ProductRegisters>* const queues = find_queues<ProductRegisters>(current_block);
  if (queues == nullptr || queues->generation != current_block->generation) return nullptr;
  return &queues->threads[current_block->running_thread()];
}

}  // namespace

LeftOver product_left_over(const Block& block) {
  const LeftOver held = left_over<ProductRegisters>(block);
  return held.site != nullptr ? held : left_over<ptx::InputRead>(block);
}

ProductUnderWay product_under_way(const void* variable, std::size_t size, bool writes) {
  ProductUnderWay found;
  const GroupQueue<ProductRegisters>* const held = held_registers();
  if (held == nullptr) return found;
  const auto* const begin = static_cast<const std::byte*>(variable);
  const auto holds = [&](const std::vector<ProductRegisters::Range>& ranges) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const ProductRegisters::Range& range) {
      return begin < range.end && range.begin < begin + size;
    });
  };
  held->visit([&](const ProductRegisters& product) {
    if (found.site != nullptr) return;
    const bool reads = writes && holds(product.factors);
    if (reads || holds(product.sums)) found = {product.begun, reads};
  });
  return found;
}

void registers_end(const void* begin, const void* end) {
  GroupQueue<ProductRegisters>* const held = held_registers();
  if (held == nullptr) return;
  held->visit([&](ProductRegisters& product) {
    for (auto* const ranges : {&product.sums, &product.factors}) {
      std::erase_if(*ranges, [&](const ProductRegisters::Range& range) {
        return range.begin >= begin && range.begin < end;
      });
    }
  });
}

}  // namespace simt::detail
