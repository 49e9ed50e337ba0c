/// \file
/// Softmax of rows that reads and writes each element once.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch08 {

/// out(i, j) = exp(in(i, j) - m) / s with m the largest value of row i and s the sum of the
/// exponentials. A row of up to 16384 stays in registers between its one read and its one write;
/// every thread finds its own m and s, and one reduction joins them. A longer row is read twice.
///
/// A row with a NaN or +inf in it, or with nothing but -inf, becomes NaN throughout.
///
/// \param in      (M, N), row-major, device memory, stride >= N; read only
/// \param out     (M, N), row-major, device memory, stride >= N; overwritten, its padding kept; may
///                be `in` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the shapes differ; `tut::CudaError` if the launch fails.
///
/// **Launch**: up to 1024 columns a warp for each row, blocks of (32, 8); then a block of 256
/// threads for each row, 64 bytes of static shared memory.
///
/// **Cost**: MN exponentials and 8MN bytes for rows up to 16384; 2MN and 12MN for longer ones.
/// Loads and stores of 16 bytes where 4 divides N and both strides, and rows begin at multiples of
/// 16 bytes.
///
/// **Source**: M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax", 2018.
void softmax_online(MatrixView<const float> in, MatrixView<float> out,
                    cudaStream_t stream = nullptr);

}  // namespace tut::ch08
