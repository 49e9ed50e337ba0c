/// @file
/// What a CUtensorMap says here, and how the elements of a box lie in shared memory.
/// Source: CUDA Driver API, "Tensor Map Object Management"; PTX ISA, "Tensors", "im2col mode",
/// "Swizzling Modes".
#ifndef SIMT_PTX_TENSOR_MAP_HPP
#define SIMT_PTX_TENSOR_MAP_HPP

#include <cstddef>
#include <cstdint>

namespace simt::ptx {

/// A tensor in global memory and what of it one copy moves: a box, or columns of images. Sizes are
/// elements, dimension 0 is contiguous, and `strides[d - 1]` are the bytes from one element of
/// dimension d to the next.
///
/// Columns (im2col): the tensor is a batch of images, its dimensions are C, W, H, D and N, without
/// D or without H and D. A copy moves box[0] channels of each of box[1] pixels. The pixels follow
/// each other as a filter's corner goes over the images: W first, by steps[1], until it leaves the
/// bounding box; then it begins anew one step along H, and so on, and then in the next image.
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
  bool is_columns;
  std::int16_t lower[3];  ///< the bounding box's first places along W, H and D
  std::int16_t upper[3];  ///< its last ones, counted from the image's last

  std::uint32_t count(int dimension) const {
    return (box[dimension] + steps[dimension] - 1u) / steps[dimension];
  }
  /// Of the bounding box, along dimension d of 1 to rank - 2.
  std::int64_t last_corner(int d) const {
    return static_cast<std::int64_t>(sizes[d]) - 1 + upper[d - 1];
  }
  std::uint32_t row_bytes() const { return std::uint32_t{box[0]} * element_bytes; }
  std::uint32_t rows() const {
    if (is_columns) return box[1];
    std::uint32_t all = 1;
    for (int d = 1; d < rank; ++d) all *= count(d);
    return all;
  }
  std::uint32_t bytes() const { return row_bytes() * rows(); }
};

/// Where an instruction begins to copy: a coordinate for each dimension, and for columns how far
/// from there the filter's element is, along W, H and D.
struct TensorPlace {
  template <int kRank>
  TensorPlace(const std::int32_t (&first)[kRank]) : at(first), rank(kRank) {}
  template <int kRank, int kOffsets>
  TensorPlace(const std::int32_t (&first)[kRank], const std::uint16_t (&from_corner)[kOffsets])
      : at(first), offsets(from_corner), rank(kRank) {
    static_assert(kOffsets == kRank - 2, "an offset for each of W, H and D");
  }
  const std::int32_t* at;
  const std::uint16_t* offsets = nullptr;  ///< null for a box
  int rank;
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

/// The places along one dimension that a copy visits in turn, again and again.
struct Walk {
  std::int64_t first, last, step;
};

inline Walk walk_along(const TensorMap& map, const TensorPlace& place, int d) {
  constexpr std::int64_t kNoEnd = std::int64_t{1} << 62;
  if (!map.is_columns) {
    const std::int64_t step = map.steps[d];
    return {place.at[d], place.at[d] + (map.count(d) - 1) * step, step};
  }
  if (d == map.rank - 1) return {place.at[d], kNoEnd, 1};  // images
  return {map.lower[d - 1], map.last_corner(d), map.steps[d]};
}

/// visit(TensorPiece) for all that a copy from that place moves.
template <class Visit>
[[gnu::always_inline]] inline void visit_pieces(const TensorMap& map, const TensorPlace& place,
                                                std::byte* shared, Visit visit) {
#ifdef __SIMT_WATCHED__
  const CopyEngine engine;
#endif
  const std::uint32_t row_bytes = map.row_bytes();
  const auto bytes = static_cast<std::int64_t>(map.element_bytes);
  const std::int64_t begin = place.at[0] * bytes;  // of a row, as the tensor counts
  const std::int64_t end = static_cast<std::int64_t>(map.sizes[0]) * bytes;
  Walk walks[5];
  std::int64_t now[5], offsets[5] = {};
  for (int d = 1; d < map.rank; ++d) {
    walks[d] = walk_along(map, place, d);
    now[d] = place.at[d];
    if (map.is_columns && d < map.rank - 1) offsets[d] = place.offsets[d - 1];
  }
  const std::uint32_t rows = map.rows();
  for (std::uint32_t row = 0; row < rows; ++row) {
    bool inside = true;
    std::int64_t start = begin;
    for (int d = 1; d < map.rank; ++d) {
      const std::int64_t index = now[d] + offsets[d];
      inside = inside && index >= 0 && index < static_cast<std::int64_t>(map.sizes[d]);
      start += index * static_cast<std::int64_t>(map.strides[d - 1]);
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
    for (int d = 1; d < map.rank && (now[d] += walks[d].step) > walks[d].last; ++d) {
      now[d] = walks[d].first;
    }
  }
}

}  // namespace simt::ptx

#endif
