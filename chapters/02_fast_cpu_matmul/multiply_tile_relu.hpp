#pragma once

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch02 {

/// The register tile of multiply_tile_relu.
constexpr int relu_tile_rows = 6, relu_tile_cols = 16;

/// One tile of C = max(0, A B + bias), the product of a fully connected layer with what follows it
/// done while the tile is still in registers, instead of in two more passes over C: an element of C
/// is written once, when it is done, and its sum is as exact as in FP32 in any order, or more so.
///
/// @param depth    K, at least 1; a panel has at most 10^9 floats
/// @param a_panel  K x 6 floats: element (i, k) of A is at a_panel[k * 6 + i]
/// @param b_panel  K x 16 floats: element (k, j) of B is at b_panel[k * 16 + j]
/// @param bias     one value for each column of c: only c.cols of them exist
/// @param c        the part of the tile that lies in C: 1x1 to 6x16, any stride; overwritten.
///                 Nothing outside of it may be written. The panels always have 6 rows and 16
///                 columns; their padding is 0. Nothing is promised of a sum that is NaN.
///
/// Cost: 192 K + 192 FLOPs; 88 K bytes of panels read in the worked solution, C written once and
/// not read.
/// Source: the fused "epilogues" of cuBLASLt and CUTLASS.
void multiply_tile_relu(int depth, const float* a_panel, const float* b_panel, const float* bias,
                        MatrixView<float> c);

}  // namespace tut::ch02
