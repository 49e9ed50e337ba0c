/// \file
/// The sizes that decide how fast the last kernel of chapter 07 is.
#pragma once

namespace tut::ch07 {

//! [tiling]
/// The shape of everything: a block's tile of C is BM x BN, a thread's TM x TN, and STAGES tiles of
/// BK steps of k are in shared memory or on their way.
template <int BM_, int BN_, int BK_, int TM_, int TN_, int STAGES_>
struct Tiling {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_, STAGES = STAGES_;
  static constexpr int LANES_N = TN > TM ? 4 : 8, LANES_M = 32 / LANES_N;
  static constexpr int WM = TM * LANES_M, WN = TN * LANES_N;  // the warp's tile
  static constexpr int WARPS_N = BN / WN, THREADS = BM / WM * WARPS_N * 32;
  static constexpr int A_COPIES = BM * BK / THREADS, B_COPIES = BK * BN / 4 / THREADS;
  // The 65536 registers of a multiprocessor, at 128 a thread or, for more than 64 sums, at 255.
  static constexpr int BLOCKS = (TM * TN > 64 ? 256 : 512) / THREADS;
  //! [tiling]

  /// The tiles of one step; the rows of A's are padded, against bank conflicts.
  struct Stage {
    alignas(16) float a[BK][BM + 4];  // (k, row)
    alignas(16) float b[BK][BN];      // (k, col)
  };
  static constexpr int SHARED_BYTES = STAGES * static_cast<int>(sizeof(Stage));

  static_assert(BM % WM == 0 && BN % WN == 0, "a block's tile consists of whole warps' tiles");
  static_assert(BK % 8 == 0 && TM % 4 == 0 && TN % 4 == 0, "everything comes in fours");
  static_assert(BM * BK % THREADS == 0 && BK * BN / 4 % THREADS == 0, "equally many copies");
  static_assert(BM % (THREADS / 8) == 0 && BK % (THREADS / (BN / 4)) == 0, "in whole rows");
  static_assert(STAGES >= 2 && BLOCKS >= 1, "one stage to read, another to fill");
};

}  // namespace tut::ch07
