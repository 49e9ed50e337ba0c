#pragma once

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch02 {

/// C = A B on one core: a register tile of C over packed panels of A and B, with the widest vector
/// instructions that this processor has (AVX-512, AVX2, or what the compiler targets by itself).
///
/// Keeps room for packed blocks, a few MiB, until the calling thread ends.
///
/// @param a  (M, K), row-major, any stride
/// @param b  (K, N), row-major, any stride
/// @param c  (M, N), row-major, any stride; overwritten; must not overlap A or B
/// @throws std::invalid_argument  naming the shapes, if they do not fit or one is empty
/// @throws std::bad_alloc         no memory for the packed blocks
///
/// Cost: 2 M N K FLOPs, with the sizes of Blocking: A is packed N / cols times, B once, C read and
/// written K / depth times. The loop over a tile reads 4 (rows + cols) bytes for 2 rows cols FLOPs.
/// Source: Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM TOMS 34
/// (2008); Van Zee and van de Geijn, BLIS, ACM TOMS 41 (2015).
void matmul_packed(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);

}  // namespace tut::ch02
