#pragma once

#include <functional>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch02 {

/// A product on one thread: matmul_packed, for one.
using Multiply =
    std::function<void(MatrixView<const float>, MatrixView<const float>, MatrixView<float>)>;

/// Columns of a cache line: 64 bytes.
constexpr int line_cols = 16;

/// C = A B by several threads, each with columns of its own: thread t computes a slice of C from
/// all of A and the same slice of B, and no slice waits for another one to be done.
///
/// C's columns are cut into slices of whole lines: every slice begins at a multiple of line_cols,
/// none is empty, and their widths differ by at most one line (the last one may be shorter still).
/// There are as many slices as threads, or as lines if there are fewer lines. All slices are
/// multiplied at the same time, each on a thread of its own; the calling thread takes one.
///
/// @param a         (M, K), row-major, any stride
/// @param b         (K, N), row-major, any stride
/// @param c         (M, N), row-major, any stride; overwritten; must not overlap A or B.
///                  M, N and K are at most 10^9
/// @param threads   how many threads to use, at least 1
/// @param multiply  called once for each slice, from several threads at once; must not throw
/// @throws std::invalid_argument  if the shapes do not fit, a size or `threads` is below 1, or a
///                                stride is below its row
///
/// Cost: 2 M N K FLOPs; every thread reads all of A.
/// Source: the parallel loops of Smith et al., Anatomy of High-Performance Many-Threaded Matrix
/// Multiplication (2014).
void matmul_by_columns(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       int threads, const Multiply& multiply);

}  // namespace tut::ch02
