/// @file
/// ldmatrix and stmatrix: a warp moves up to four matrices of 8 x 8 elements of 16 bits between
/// shared memory and its registers. Lane 8 * i + r has the address of row r of matrix i; register i
/// of a lane holds two neighbours in row lane / 4 of matrix i or, with .trans, in its column.
/// Source: PTX ISA, "Warp-level matrix load instruction: ldmatrix", "... store instruction:
/// stmatrix".
#ifndef SIMT_PTX_MATRIX_TRANSFER_HPP
#define SIMT_PTX_MATRIX_TRANSFER_HPP

#include <cstddef>
#include <cstdint>

#include "simt/collective.hpp"
#include "simt/wmma/access.hpp"
#include "simt/wmma/runtime.hpp"

namespace simt::ptx {

/// What one lane brings: its registers, one for each matrix, and 16 bytes of a row.
struct MatrixLane {
  void* registers;
  void* row;  ///< of lanes that address one
};

/// Hands rows out to registers, or collects them, for a warp. `slots[lane]` is a lane's MatrixLane;
/// `lanes` are those that came, and have to be all 32.
void rows_to_registers(int matrices, bool transposed, void* const* slots, unsigned lanes);
void registers_to_rows(int matrices, bool transposed, void* const* slots, unsigned lanes);

template <int kMatrices, bool kTransposed>
void load_waiting(void* const* slots, unsigned lanes) {
  rows_to_registers(kMatrices, kTransposed, slots, lanes);
}
template <int kMatrices, bool kTransposed>
void store_waiting(void* const* slots, unsigned lanes) {
  registers_to_rows(kMatrices, kTransposed, slots, lanes);
}

/// Stops the kernel: the row of the running lane does not begin at a multiple of 16 bytes, or not
/// in shared memory.
[[noreturn]] void refuse_row(const void* row, const char* instruction);

/// Stops the kernel unless 16 bytes of shared memory begin there.
[[gnu::always_inline]] inline void require_row(const void* row, const char* instruction) {
  const simt::detail::Block& block = *simt::detail::current_block;
  const std::size_t used =
      block.shared_used > block.dynamic_size ? block.shared_used : block.dynamic_size;
  const std::size_t offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(row) - block.shared_memory);
  if (reinterpret_cast<std::uintptr_t>(row) % 16 != 0 || offset >= used) {
    refuse_row(row, instruction);
  }
}

// Where somebody watches, the lane that addresses a row reads or writes it.

template <bool kTransposed, std::size_t kMatrices>
[[gnu::always_inline]] inline void ldmatrix(void* row, std::uint32_t (&registers)[kMatrices]) {
#ifdef __SIMT_WATCHED__
  const bool addresses = lane_id() < 8 * kMatrices;
  alignas(16) std::byte own[16];
  if (addresses) nvcuda::wmma::detail::copy_piece<16>(own, row);
  MatrixLane lane{registers, own};
  warp_rendezvous(0xFFFFFFFFu, &load_waiting<kMatrices, kTransposed>, &lane);
#else
  if (lane_id() < 8 * kMatrices) require_row(row, "ldmatrix");
  MatrixLane lane{registers, row};
  wmma::rendezvous(&load_waiting<kMatrices, kTransposed>, &lane);
#endif
}

template <bool kTransposed, std::size_t kMatrices>
[[gnu::always_inline]] inline void stmatrix(void* row,
                                            const std::uint32_t (&registers)[kMatrices]) {
  auto* const own_registers = const_cast<std::uint32_t*>(registers);
#ifdef __SIMT_WATCHED__
  const bool addresses = lane_id() < 8 * kMatrices;
  alignas(16) std::byte own[16];
  MatrixLane lane{own_registers, own};
  warp_rendezvous(0xFFFFFFFFu, &store_waiting<kMatrices, kTransposed>, &lane);
  if (addresses) nvcuda::wmma::detail::copy_piece<16>(row, own);
#else
  if (lane_id() < 8 * kMatrices) require_row(row, "stmatrix");
  MatrixLane lane{own_registers, row};
  wmma::rendezvous(&store_waiting<kMatrices, kTransposed>, &lane);
#endif
}

}  // namespace simt::ptx

#endif
