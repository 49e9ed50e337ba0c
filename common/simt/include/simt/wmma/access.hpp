/// @file
/// The accesses to memory by which a warp reads and writes a fragment's matrix: those that a GPU of
/// compute capability 7.5 to 9.0 makes, so that counters mean the same. Which lane reads what has
/// nothing to do with which lane holds what: lanes exchange their parts.
/// Source: the SASS that nvcc 13 makes of wmma::load_matrix_sync and store_matrix_sync.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nvcuda::wmma::detail {

/// A matrix in memory: `kLines` rows, or columns, that are contiguous. It is read in pieces of
/// `kPiece` bytes, by lanes in turn; up to `kAcross` lanes take neighbours in a line, and up to
/// `kDown` lanes the same place in successive lines.
template <int kLines, int kLineBytes, int kPiece, int kAcrossMost, int kDownMost>
struct Access {
  static constexpr int kPieceBytes = kPiece;
  static constexpr int kInLine = kLineBytes / kPiece;  // pieces
  static constexpr int kAcross = kAcrossMost < kInLine ? kAcrossMost : kInLine;
  static constexpr int kDown = kDownMost < kLines ? kDownMost : kLines;
  static constexpr int kTotal = kLines * kInLine;
  static constexpr int kRequests = (kTotal + 31) / 32;
  static constexpr int kBytes = kRequests * kPiece;  // of one lane, at most

  /// visit(byte in the lane's part, line, byte in the line) for each piece of a lane. Inlined, as
  /// is all on the way to an access: check mode knows whose it is by the line it is inlined into.
  template <class Visit>
  [[gnu::always_inline]] static void visit(unsigned lane, Visit visit) {
    for (int request = 0; request < kRequests; ++request) {
      const int piece = request * 32 + static_cast<int>(lane);
      if (piece >= kTotal) return;
      constexpr int kBlock = kAcross * kDown;
      const int block = piece / kBlock;
      const int line = block % (kLines / kDown) * kDown + piece / kAcross % kDown;
      const int in_line = block / (kLines / kDown) * kAcross + piece % kAcross;
      visit(request * kPiece, line, in_line * kPiece);
    }
  }
};

/// Copies one piece in one access of its size, which is aligned to it.
template <int kBytes>
[[gnu::always_inline]] inline void copy_piece(void* to, const void* from) {
  struct alignas(16) Four {
    std::uint64_t words[2];
  };
  if constexpr (kBytes == 16) {
    *static_cast<Four*>(to) = *static_cast<const Four*>(from);
  } else if constexpr (kBytes == 8) {
    *static_cast<std::uint64_t*>(to) = *static_cast<const std::uint64_t*>(from);
  } else if constexpr (kBytes == 4) {
    *static_cast<std::uint32_t*>(to) = *static_cast<const std::uint32_t*>(from);
  } else {
    static_assert(kBytes == 2);
    *static_cast<std::uint16_t*>(to) = *static_cast<const std::uint16_t*>(from);
  }
}

}  // namespace nvcuda::wmma::detail
