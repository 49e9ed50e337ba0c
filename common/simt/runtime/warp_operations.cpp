#include <algorithm>
#include <bit>

#include "simt/collective.hpp"
#include "waiting.hpp"

namespace simt {

namespace {

// One lane's part, on that lane's stack.
struct Part {
  std::uint64_t value;
  int parameter;
  int width;
  std::uint64_t result;
};

Part& part(void* const* slots, unsigned lane) { return *static_cast<Part*>(slots[lane]); }

// Calls action(lane, part) for each lane that takes part.
template <class Action>
void for_lanes(void* const* slots, unsigned lanes, Action action) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    action(lane, part(slots, lane));
  }
}

void give_all(void* const* slots, unsigned lanes, std::uint64_t result) {
  for_lanes(slots, lanes, [&](unsigned, Part& lane) { lane.result = result; });
}

std::uint64_t absent_lane_value(unsigned reader, unsigned source) {
  return absent_lane_byte(reader, source) * 0x0101010101010101U;
}

template <WarpOperation kOperation>
void shuffle(void* const* slots, unsigned lanes) {
  for_lanes(slots, lanes, [&](unsigned lane, Part& own) {
    const unsigned source = detail::source_lane<kOperation>(lane, own.parameter, own.width);
    own.result =
        (lanes >> source & 1U) != 0 ? part(slots, source).value : absent_lane_value(lane, source);
  });
}

unsigned ballot_of(void* const* slots, unsigned lanes) {
  unsigned ballot = 0;
  for_lanes(slots, lanes, [&](unsigned lane, const Part& own) {
    if (own.value != 0) ballot |= 1U << lane;
  });
  return ballot;
}

template <WarpOperation kOperation>
void vote(void* const* slots, unsigned lanes) {
  const unsigned ballot = ballot_of(slots, lanes);
  std::uint64_t result = ballot;
  if constexpr (kOperation == WarpOperation::any) result = ballot != 0;
  if constexpr (kOperation == WarpOperation::all) result = ballot == lanes;
  give_all(slots, lanes, result);
}

void match_any(void* const* slots, unsigned lanes) {
  for_lanes(slots, lanes, [&](unsigned, Part& own) {
    unsigned same = 0;
    for_lanes(slots, lanes, [&](unsigned lane, const Part& other) {
      if (other.value == own.value) same |= 1U << lane;
    });
    own.result = same;
  });
}

void match_all(void* const* slots, unsigned lanes) {
  const std::uint64_t first = part(slots, static_cast<unsigned>(std::countr_zero(lanes))).value;
  bool same = true;
  for_lanes(slots, lanes, [&](unsigned, const Part& own) { same = same && own.value == first; });
  give_all(slots, lanes, same ? lanes : 0);
}

template <WarpOperation kOperation>
std::uint32_t combine(std::uint32_t a, std::uint32_t b) {
  const auto signed_a = static_cast<std::int32_t>(a);
  const auto signed_b = static_cast<std::int32_t>(b);
  switch (kOperation) {
    case WarpOperation::min_unsigned:
      return std::min(a, b);
    case WarpOperation::max_unsigned:
      return std::max(a, b);
    case WarpOperation::min_signed:
      return static_cast<std::uint32_t>(std::min(signed_a, signed_b));
    case WarpOperation::max_signed:
      return static_cast<std::uint32_t>(std::max(signed_a, signed_b));
    case WarpOperation::bit_and:
      return a & b;
    case WarpOperation::bit_or:
      return a | b;
    case WarpOperation::bit_xor:
      return a ^ b;
    default:
      return a + b;
  }
}

template <WarpOperation kOperation>
void reduce(void* const* slots, unsigned lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  auto total = static_cast<std::uint32_t>(part(slots, first).value);
  for_lanes(slots, lanes & (lanes - 1), [&](unsigned, const Part& own) {
    total = combine<kOperation>(total, static_cast<std::uint32_t>(own.value));
  });
  give_all(slots, lanes, total);
}

void synchronise(void* const*, unsigned) {}

// In the order of WarpOperation.
constexpr WarpCompute kOperations[] = {
    synchronise,
    shuffle<WarpOperation::shuffle_index>,
    shuffle<WarpOperation::shuffle_up>,
    shuffle<WarpOperation::shuffle_down>,
    shuffle<WarpOperation::shuffle_xor>,
    vote<WarpOperation::any>,
    vote<WarpOperation::all>,
    vote<WarpOperation::ballot>,
    match_any,
    match_all,
    reduce<WarpOperation::add>,
    reduce<WarpOperation::min_unsigned>,
    reduce<WarpOperation::max_unsigned>,
    reduce<WarpOperation::min_signed>,
    reduce<WarpOperation::max_signed>,
    reduce<WarpOperation::bit_and>,
    reduce<WarpOperation::bit_or>,
    reduce<WarpOperation::bit_xor>,
};

}  // namespace

const WarpCompute detail::kSynchronise = synchronise;

std::uint64_t warp_collective(WarpOperation operation, unsigned mask, std::uint64_t value,
                              int parameter, int width) {
  Part own{value, parameter, width, value};
  detail::meet(mask, kOperations[static_cast<unsigned>(operation)], &own,
               __builtin_return_address(0));
  return own.result;
}

}  // namespace simt
