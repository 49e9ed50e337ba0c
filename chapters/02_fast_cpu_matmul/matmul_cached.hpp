#pragma once

#include "02_fast_cpu_matmul/counted_float.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch02 {

/// The blank-file exercise of part I: C = A B on one core, for any shapes and strides, with what
/// the caches and the registers of a processor are good for.
///
/// **Target.** No clock decides: the same code is run once more with numbers of type CountedFloat,
/// which behave as floats and tell of every access. For M = N = K = 192, whatever the strides, rows
/// that lie 1024 elements apart among them,
/// - a cache of 32 KiB, with lines of 64 bytes and 8 of them in a set, brings at most MNK/100
///   lines. The loops of matmul_reordered bring more than MNK/16;
/// - at most 0.6 numbers are loaded or stored for each multiply-add. matmul_reordered has 3. What
///   is in local variables and local arrays counts as kept in registers, as long as these are 1024
///   numbers at most; what is in a std::vector or another array is memory.
///
/// So both functions have to do the same: write one template over the type of the numbers, and let
/// both call it. All of the numbers' memory is to be of that type, also what is packed.
///
/// Infinities and NaN take part as in any sum of products, 0 times infinity being NaN. The sums are
/// as exact as in FP32 in any order, or more so. It does not matter what C held before.
///
/// @param a  (M, K), row-major, any stride
/// @param b  (K, N), row-major, any stride
/// @param c  (M, N), row-major, any stride; must not overlap A or B. M, N and K are at most 10^9
/// @throws std::invalid_argument  if the shapes do not fit, a size is below 1, or a stride is below
///                                its row
///
/// Cost: 2 M N K FLOPs; at least 4 (M K + K N + M N) bytes. Source: Goto and van de Geijn, Anatomy
/// of High-Performance Matrix Multiplication (2008).
void matmul_cached(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);

/// The same of numbers that are counted.
void matmul_cached(MatrixView<const CountedFloat> a, MatrixView<const CountedFloat> b,
                   MatrixView<CountedFloat> c);

}  // namespace tut::ch02
