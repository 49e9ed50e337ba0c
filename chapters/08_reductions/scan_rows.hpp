/// \file
/// Prefix sums of the rows of a matrix: chapter 08's worked example of a scan.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch08 {

/// out(r, c) = in(r, 0) + ... + in(r, c): the inclusive prefix sums of each row. A block takes a
/// row, 1024 elements at a time, and carries the sum of what it has seen from one step to the next.
///
/// \param in      any number of rows, row-major, device memory; read only
/// \param out     as many elements, row-major, device memory; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. The absolute values of a row add up to at most 2³¹ - 1,
/// and no row has more than 10⁹ elements.
///
/// Errors: `std::invalid_argument` if the shapes differ; `tut::CudaError` if the launch fails.
///
/// **Launch**: a block of 256 threads for each row; 32 bytes of static shared memory.
///
/// **Cost**: 8 bytes for each element, read once and written once, 16 at a time where all rows
/// consist of whole groups of four at multiples of 16 bytes.
///
/// **Source**: G. E. Blelloch, *Prefix Sums and Their Applications*, 1990; M. Harris, S. Sengupta,
/// J. D. Owens, *Parallel Prefix Sum (Scan) with CUDA*, GPU Gems 3, 2007.
void scan_rows(MatrixView<const int> in, MatrixView<int> out, cudaStream_t stream = nullptr);

}  // namespace tut::ch08
