/// \file
/// The index maps of implicit GEMM, each in two parts: what k says, and what the row or the column
/// says. A part costs divisions and is found once; their sum costs an addition and is found for
/// every element.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "13_convolution/convolution_shape.hpp"

namespace tut::ch13 {

//! [place]
/// One part, of k or of a column, of where an element of B lies: the image's element (y, x), whose
/// index is `place`, each the sum of both parts. There is none outside of the image, or if the
/// phases differ. Places are unsigned: a part may begin in the padding, and only sums are elements.
struct alignas(16) BPlace {
  unsigned place, y, x, phase;
};
//! [place]

/// A part from shared memory, by one load of 16 bytes.
__device__ inline BPlace read_place(const BPlace& from) {
  const uint4 words = reinterpret_cast<const uint4&>(from);
  return {words.x, words.y, words.z, words.w};
}

//! [product]
/// What the three products have in common: C (rows, cols) = A (rows, depth) B (depth, cols). A
/// product adds its maps, as member functions, and `b_along_k`, whether neighbours in memory are
/// neighbours in k (else in columns):
///
///     A(row, k)      a[row * row_pitch + a_place(k)]
///     B(k, col)      element_b of b_place(k) and column(col)
///     C(row, col)    out[row * out_pitch + out_place(slice, col)], to which bias[row] is added
struct ImplicitProduct {
  const float *a, *b, *bias;  // bias: for each row, or null
  float* out;
  int rows, cols, depth;
  int row_pitch;           // of A: from a row to the next
  unsigned height, width;  // of B's image
  int out_pitch;           // of C: from a row to the next
  bool fours;              // four columns from a multiple of 4 on are 16 bytes of C
};
//! [product]

//! [element]
/// The element of B at these two parts, 0 if there is none.
__device__ inline float element_b(const ImplicitProduct& operands, const BPlace& k,
                                  const BPlace& column) {
  const bool in_rows = k.y + column.y < operands.height, in_cols = k.x + column.x < operands.width;
  const bool in_phase = k.phase == column.phase;
  return in_rows && in_cols && in_phase ? operands.b[k.place + column.place] : 0.0f;
}
//! [element]

/// A coordinate that no other part brings into an image.
inline constexpr unsigned OUTSIDE = 0x80000000u;

/// Whether C's rows, `out_pitch` apart, can be written 16 bytes at a time.
inline bool lie_in_fours(const float* out, int out_pitch) {
  return out_pitch % 4 == 0 && reinterpret_cast<std::uintptr_t>(out) % sizeof(float4) == 0;
}

}  // namespace tut::ch13
