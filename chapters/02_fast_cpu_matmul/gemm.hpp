#pragma once

#include <barrier>
#include <cstddef>
#include <cstdint>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch02 {

/// Instruction sets that the multiplication is compiled for. `baseline` is whatever the compiler
/// targets by itself: SSE2 on x86-64, NEON on 64-bit Arm.
enum class Simd { baseline, avx2, avx512 };

/// The blocks of the packed multiplication, in elements; edges are cut evenly to at most this.
struct Blocking {
  int rows;   ///< of a packed block of A: rows x depth floats lie in the second cache
  int cols;   ///< of a packed block of B: depth x cols floats lie in the third
  int depth;  ///< of both: depth x one register tile's columns, a panel of B, aims at the first
};

/// One thread of those that multiply together.
struct Worker {
  int rank;              ///< 0 to team - 1
  int team;              ///< how many work together
  float* a_panels;       ///< room for a packed block of A, this worker's own
  float* b_panels;       ///< room for a packed block of B, the team's
  std::barrier<>* meet;  ///< where the team waits for each other; null for a team of one
  void wait() const;
};

/// What one instruction set brings.
struct Gemm {
  Simd simd;
  const char* name;          ///< "avx2"
  int tile_rows, tile_cols;  ///< of the register tile
  Blocking blocking;         ///< what suits it
  /// C = A B, one worker's part.
  void (*multiply)(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                   const Blocking& blocking, const Worker& worker);
};

/// The multiplication for an instruction set, whether or not this processor has it; null if the
/// compiler could not build it.
const Gemm* find_gemm(Simd simd);

/// Whether this processor can run it and it was built.
bool is_supported(Simd simd);

/// The widest instruction set that is supported.
Simd best_simd();

/// Multiplies with a team of `threads`, this thread among them, and blocks of the given sizes.
/// The room for packed blocks is kept for the next call and freed when the calling thread ends.
///
/// @throws std::invalid_argument  shapes that do not fit, threads or a block size below 1, or an
///                                instruction set that is not supported
void run_gemm(Simd simd, const Blocking& blocking, int threads, MatrixView<const float> a,
              MatrixView<const float> b, MatrixView<float> c);

}  // namespace tut::ch02
