#pragma once

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch02 {

/// C = A B on all cores: matmul_packed by a team of threads, one for each core. The team packs each
/// block of B together; then every thread multiplies its own blocks of rows of A by it.
///
/// The threads live for one call: below about 200 x 200 x 200 matmul_packed is faster.
///
/// @param a  (M, K), row-major, any stride
/// @param b  (K, N), row-major, any stride
/// @param c  (M, N), row-major, any stride; overwritten; must not overlap A or B
/// @throws std::invalid_argument  naming the shapes, if they do not fit or one is empty
/// @throws std::bad_alloc         no memory for the packed blocks
/// @throws std::system_error      no thread could be started
///
/// Cost: as matmul_packed; B is packed once, whatever the number of threads.
/// Source: Smith et al., Anatomy of High-Performance Many-Threaded Matrix Multiplication (2014).
void matmul_threaded(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);

}  // namespace tut::ch02
