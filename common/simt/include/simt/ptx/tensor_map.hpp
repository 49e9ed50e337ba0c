/// @file
/// What a CUtensorMap says here, and how the elements of a box lie in shared memory.
/// Source: CUDA Driver API, "Tensor Map Object Management"; PTX ISA, "Tensors", "Swizzling Modes".
#ifndef SIMT_PTX_TENSOR_MAP_HPP
#define SIMT_PTX_TENSOR_MAP_HPP

#include <cstddef>
#include <cstdint>

namespace simt::ptx {

/// A tensor in global memory and the box of it that one copy moves. Sizes are elements, dimension 0
/// is contiguous, and `strides[d - 1]` are the bytes from one element of dimension d to the next.
struct TensorMap {
  static constexpr std::uint32_t kMark = 0x7E502A9Bu;

  std::uint32_t mark;
  std::uint8_t rank;
  std::uint8_t type;  ///< a CUtensorMapDataType
  std::uint8_t element_bytes;
  std::uint8_t swizzle_bytes;  ///< 32, 64 or 128; 0 for none
  std::uint8_t fill;  ///< each byte of an element outside of the tensor: 0, or 0xFF for NaN
  std::uint64_t address;
  std::uint64_t sizes[5];
  std::uint64_t strides[4];
  std::uint16_t box[5];
  std::uint8_t steps[5];  ///< every so many-th element of the box is there; dimension 0 has all

  std::uint32_t count(int dimension) const {
    return dimension == 0 ? box[0] : (box[dimension] + steps[dimension] - 1u) / steps[dimension];
  }
  std::uint32_t row_bytes() const { return std::uint32_t{box[0]} * element_bytes; }
  std::uint32_t rows() const {
    std::uint32_t all = 1;
    for (int d = 1; d < rank; ++d) all *= count(d);
    return all;
  }
  std::uint32_t bytes() const { return row_bytes() * rows(); }
};

/// What tensors are copied in: 16 bytes of shared memory, which swizzling keeps together.
struct TensorPiece {
  std::byte* shared;
  std::byte* global;     ///< what belongs to the first of its bytes that the tensor has
  unsigned first, last;  ///< the bytes that the tensor has: those in [first, last)
};

inline constexpr unsigned kPieceBytes = 16;

/// Where the bytes at `offset` of a box come to lie that begins at `base`: the pieces of each row
/// of 32, 64 or 128 bytes change places by the bits of the address from 128 on.
inline std::byte* swizzled(std::byte* base, std::uint32_t offset, unsigned swizzle_bytes) {
  std::byte* const plain = base + offset;
  if (swizzle_bytes == 0) return plain;
  const auto address = reinterpret_cast<std::uintptr_t>(plain);
  const std::uintptr_t turn = address >> 7 & (swizzle_bytes / kPieceBytes - 1);
  return plain +
         (static_cast<std::ptrdiff_t>(address ^ turn << 4) - static_cast<std::ptrdiff_t>(address));
}

/// visit(TensorPiece) for all of the box whose first element has the coordinates `at`.
template <class Visit>
[[gnu::always_inline]] inline void visit_box(const TensorMap& map, const std::int32_t* at,
                                             std::byte* shared, Visit visit) {
#ifdef __SIMT_WATCHED__
  const CopyEngine engine;
#endif
  const std::uint32_t row_bytes = map.row_bytes();
  const auto bytes = static_cast<std::int64_t>(map.element_bytes);
  const std::int64_t begin = at[0] * bytes;  // of a row, as the tensor counts
  const std::int64_t end = static_cast<std::int64_t>(map.sizes[0]) * bytes;
  std::uint32_t index[5] = {};
  const std::uint32_t rows = map.rows();
  for (std::uint32_t row = 0; row < rows; ++row) {
    bool inside = true;
    std::int64_t start = begin;
    for (int d = 1; d < map.rank; ++d) {
      const std::int64_t place = at[d] + std::int64_t{index[d]} * map.steps[d];
      inside = inside && place >= 0 && place < static_cast<std::int64_t>(map.sizes[d]);
      start += place * static_cast<std::int64_t>(map.strides[d - 1]);
    }
    for (std::uint32_t done = 0; done < row_bytes; done += kPieceBytes) {
      const std::int64_t from = begin + done;
      std::int64_t first = from < 0 ? -from : 0;
      std::int64_t last = end - from < kPieceBytes ? end - from : kPieceBytes;
      if (!inside || first >= last) first = last = 0;
      visit(TensorPiece{swizzled(shared, row * row_bytes + done, map.swizzle_bytes),
                        reinterpret_cast<std::byte*>(
                            map.address + static_cast<std::uint64_t>(start + done + first)),
                        static_cast<unsigned>(first), static_cast<unsigned>(last)});
    }
    for (int d = 1; d < map.rank && ++index[d] == map.count(d); ++d) index[d] = 0;
  }
}

}  // namespace simt::ptx

#endif
