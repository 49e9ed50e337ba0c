#include "simt/mbarrier.hpp"

#include <cstdio>
#include <string>

#include "cluster.hpp"
#include "mbarrier_state.hpp"
#include "observer.hpp"
#include "suspend.hpp"
#include "waiting.hpp"
#include "worker.hpp"

namespace simt::detail {

void refuse_instruction(cudaError_t code, const char* instruction, const std::string& where,
                        const std::string& why) {
  Block& block = *current_block;
  stop_kernel(block, code, "simt: %s in %s, thread (%u,%u,%u)%s: %s", instruction,
              describe(block).text, ::threadIdx.x, ::threadIdx.y, ::threadIdx.z, where.c_str(),
              why.c_str());
}

}  // namespace simt::detail

namespace simt::ptx {
namespace {

using detail::BarrierState;
using detail::Block;

constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;
constexpr std::int64_t kMostBytes = (1 << 20) - 1;

[[noreturn]] void refuse_barrier(const void* at, const char* call, const std::string& why) {
  detail::refuse_instruction(
      cudaErrorIllegalInstruction, call,
      std::string(", at ") + detail::describe_shared(*detail::current_block, at).text, why);
}

/// The barrier there. The kernel stops if there is none.
BarrierState read(const void* at, const char* call) {
  if (reinterpret_cast<std::uintptr_t>(at) % 8 != 0) {
    refuse_barrier(at, call, "an mbarrier begins at a multiple of 8 bytes");
  }
  const BarrierState state = BarrierState::at(at);
  if (!state.is_valid()) {
    refuse_barrier(at, call, "there is no mbarrier; expected one that mbarrier.init has made");
  }
  return state;
}

/// Ends the phase if nothing is missing, and wakes who waits for that.
void write(void* at, BarrierState state) {
  const bool complete = state.missing == 0 && state.bytes == 0;
  if (complete) {
    state.missing = state.expected;
    state.parity ^= 1u;
  }
  state.write(at);
  Block& owner = detail::owner_of(at);
  if (detail::Observer* const watching = complete ? detail::observer() : nullptr) {
    watching->phase_ended(owner, at);
  }
  owner.vain_rounds = 0;
  if (complete) detail::notify_in(owner, at);
}

void add_bytes(BarrierState& state, std::int64_t bytes, const void* at, const char* call) {
  state.bytes += bytes;
  if (state.bytes > kMostBytes || state.bytes < -kMostBytes) {
    refuse_barrier(at, call,
                   std::to_string(state.bytes) + " bytes to come; expected at most 2^20 - 1");
  }
}

/// How many phases of the barrier have ended, in check mode.
std::size_t ended_phases(const void* at) {
  detail::Observer* const watching = detail::observer();
  return watching != nullptr ? watching->ended_phases(detail::owner_of(at), at) : 0;
}

/// Tells check mode that the running thread has seen so many phases end.
void tell_ended(const void* at, std::size_t phases) {
  detail::Observer* const watching = detail::observer();
  if (watching == nullptr || phases == 0) return;
  watching->acquired(detail::owner_of(at), at, phases - 1);
}

/// Tells check mode that the running thread uses the barrier.
void tell_use(const void* at, const detail::CallSite& call, bool by_copy = false) {
  if (detail::Observer* const watching = detail::observer()) {
    watching->barrier_used(at, by_copy, call);
  }
}

void complete(void* at, std::uint32_t bytes) {
  constexpr const char* kCall = "mbarrier.complete_tx";
  BarrierState state = read(at, kCall);
  if (detail::Observer* const watching = detail::observer()) watching->released(at);
  add_bytes(state, -std::int64_t{bytes}, at, kCall);
  write(at, state);
}

std::uint64_t arrive(void* at, std::uint32_t count, std::uint32_t bytes, bool drops,
                     const char* call) {
  BarrierState state = read(at, call);
  const std::uint64_t before = state.bits();
  if (count > state.missing) {
    refuse_barrier(at, call,
                   std::to_string(count) + " arrivals, and " + std::to_string(state.missing) +
                       " of " + std::to_string(state.expected) + " are missing in this phase");
  }
  if (detail::Observer* const watching = detail::observer()) watching->released(at);
  add_bytes(state, bytes, at, call);
  state.missing -= count;
  if (drops) state.expected -= count;
  write(at, state);
  return before;
}

}  // namespace

void mbarrier_init(void* at, std::uint32_t count) {
  if (reinterpret_cast<std::uintptr_t>(at) % 8 != 0) {
    refuse_barrier(at, "mbarrier.init", "an mbarrier begins at a multiple of 8 bytes");
  }
  if (count == 0 || count > kMostArrivals) {
    refuse_barrier(at, "mbarrier.init",
                   std::to_string(count) + " arrivals; expected 1 to 2^20 - 1");
  }
  BarrierState{count, count, 0, 0}.write(at);
  if (detail::Observer* const watching = detail::observer()) {
    watching->barrier_made(at, __builtin_return_address(0));
  }
}

void mbarrier_init_fence() {
  if (detail::Observer* const watching = detail::observer()) watching->barriers_fenced();
}

void mbarrier_invalidate(void* at) {
  read(at, "mbarrier.inval");
  BarrierState::erase(at);
  if (detail::Observer* const watching = detail::observer()) watching->barrier_ends(at);
}

void mbarrier_expect(void* at, std::uint32_t bytes) {
  tell_use(at, detail::call_site());
  BarrierState state = read(at, "mbarrier.expect_tx");
  add_bytes(state, bytes, at, "mbarrier.expect_tx");
  write(at, state);
}

void mbarrier_complete(void* at, std::uint32_t bytes) {
  tell_use(at, detail::call_site());
  complete(at, bytes);
}
void mbarrier_complete_copy(void* at, std::uint32_t bytes) {
  tell_use(at, detail::call_site(), true);
  complete(at, bytes);
}

std::uint64_t mbarrier_arrive(void* at, std::uint32_t count, std::uint32_t bytes) {
  tell_use(at, detail::call_site());
  return arrive(at, count, bytes, false, "mbarrier.arrive");
}
std::uint64_t mbarrier_arrive_drop(void* at, std::uint32_t count, std::uint32_t bytes) {
  tell_use(at, detail::call_site());
  return arrive(at, count, bytes, true, "mbarrier.arrive_drop");
}

bool mbarrier_test_wait(const void* at, std::uint32_t parity) {
  tell_use(at, detail::call_site());
  const bool complete = read(at, "mbarrier.test_wait").parity != (parity & 1u);
  if (complete) {
    tell_ended(at, ended_phases(at));
  } else {
    yield();
  }
  return complete;
}

bool mbarrier_try_wait(const void* at, std::uint32_t parity) {
  tell_use(at, detail::call_site());
  const auto complete = [&] { return read(at, "mbarrier.try_wait").parity != (parity & 1u); };
  const bool at_once = complete();
  const std::size_t ended = ended_phases(at);
  // Who is notified has seen the phase end, though the barrier may be another by now.
  if (!at_once && !wait_at_mbarrier(at) && !complete()) return false;
  tell_ended(at, at_once ? ended : ended + 1);
  return true;
}

}  // namespace simt::ptx
