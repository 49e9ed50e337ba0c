#pragma once

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch02 {

/// C = A B by Eigen on one thread, compiled for the instruction set of its name: the rivals of the
/// benchmark. The processor must have that instruction set.
void eigen_baseline(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);
void eigen_avx2(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);
void eigen_avx512(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);

}  // namespace tut::ch02
