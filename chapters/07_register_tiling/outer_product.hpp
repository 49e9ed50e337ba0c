/// \file
/// The arithmetic of a register tile.
#pragma once

namespace tut::ch07 {

/// Multiplies each of TM elements of a column of A with each of TN elements of a row of B, and adds
/// the products to the thread's tile of C. All loops unroll, so that everything is in registers.
template <int TM, int TN>
__device__ void add_outer_product(const float (&a_part)[TM], const float (&b_part)[TN],
                                  float (&sums)[TM][TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) sums[i][j] += a_part[i] * b_part[j];
  }
}

}  // namespace tut::ch07
