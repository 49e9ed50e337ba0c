// mma.sync, ldmatrix and stmatrix for a warp that has met, and what is wrong with a call.
#include "simt/ptx/mma.hpp"

#include <cstdio>
#include <cstring>

#include "simt/ptx/matrix_transfer.hpp"
#include "suspend.hpp"
#include "waiting.hpp"
#include "worker.hpp"

namespace simt::ptx {
namespace {

constexpr int kRows = 8;
constexpr int kRowBytes = 16;
constexpr int kElementBytes = 2;

const MatrixLane& lane_at(void* const* slots, int lane) {
  return *static_cast<const MatrixLane*>(slots[lane]);
}

/// Calls move(place in a lane's register, place in a row) for all of a matrix, so many bytes each.
template <bool kTransposed, class Move>
void visit_matrix(int matrix, void* const* slots, Move move) {
  for (int lane = 0; lane < 32; ++lane) {
    auto* const own = static_cast<char*>(lane_at(slots, lane).registers) + 4 * matrix;
    const int group = lane / 4, pair = 2 * (lane % 4);
    const auto row = [=](int number) {
      return static_cast<char*>(lane_at(slots, kRows * matrix + number).row);
    };
    if constexpr (kTransposed) {
      move(own, row(pair) + kElementBytes * group, kElementBytes);
      move(own + kElementBytes, row(pair + 1) + kElementBytes * group, kElementBytes);
    } else {
      move(own, row(group) + kElementBytes * pair, 2 * kElementBytes);
    }
  }
}

template <class Move>
void visit_matrices(int matrices, bool transposed, void* const* slots, Move move) {
  for (int matrix = 0; matrix < matrices; ++matrix) {
    transposed ? visit_matrix<true>(matrix, slots, move) : visit_matrix<false>(matrix, slots, move);
  }
}

}  // namespace

void multiply(const Mma& form, void* const* slots, unsigned lanes) {
  if (lanes != ~0u) {
    char name[32];
    std::snprintf(name, sizeof(name), "mma.sync.m%dn8k%d", form.m, form.k);
    wmma::require_whole_warp(lanes, name);
  }
  multiply_whole_warp(form, slots);
}

void rows_to_registers(int matrices, bool transposed, void* const* slots, unsigned lanes) {
  wmma::require_whole_warp(lanes, "ldmatrix");
  visit_matrices(
      matrices, transposed, slots,
      [](char* own, const char* there, std::size_t bytes)
          __attribute__((always_inline)) { std::memcpy(own, there, bytes); });
}

void registers_to_rows(int matrices, bool transposed, void* const* slots, unsigned lanes) {
  wmma::require_whole_warp(lanes, "stmatrix");
  visit_matrices(
      matrices, transposed, slots,
      [](const char* own, char* there, std::size_t bytes)
          __attribute__((always_inline)) { std::memcpy(there, own, bytes); });
}

void refuse_row(const void* row, const char* instruction) {
  const detail::Block& block = *detail::current_block;
  const bool aligned = reinterpret_cast<std::uintptr_t>(row) % kRowBytes == 0;
  const auto offset = static_cast<const std::byte*>(row) - block.shared_memory;
  detail::stop_kernel(
      detail::require_fiber(instruction),
      aligned ? cudaErrorIllegalAddress : cudaErrorMisalignedAddress,
      "simt: %s in %s, warp %u: the row that lane %u addresses, at %td in shared memory, %s",
      instruction, detail::describe(block).text, warp_id(), lane_id(), offset,
      aligned ? "lies outside the block's" : "does not begin at a multiple of 16 bytes");
}

}  // namespace simt::ptx
