/// \file
/// Contract of the exercise rgb_to_gray: a colour image becomes a grey one, pixel by pixel.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch03 {

/// out(r, c) = (77 red + 150 green + 29 blue + 128) / 256, in integers, for every pixel, in one
/// launch.
///
/// The factors add up to 256, so white stays white. They round the luma weights of Rec. 601.
///
/// \param in      (height, width) pixels, x red, y green, z blue, row-major, device memory,
///                stride >= width, in pixels; read only
/// \param out     (height, width) grey values, row-major, device memory, stride >= width;
///                overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: height is at most 65535 · 8 = 524,280, as a grid has at most 65535 blocks in y;
/// width is at most 10⁹; there may be more than 2³² pixels.
///
/// Errors: `std::invalid_argument` if the shapes differ, a size is below 1 or a stride below width;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈width/32⌉, ⌈height/8⌉), block (32, 8), no shared memory.
///
/// **Cost**: 4·width·height bytes of global memory, the least possible: 32 neighbours of out are a
/// sector, which only one block writes. (Each of the three bytes of a pixel is a load of its own;
/// the three loads of a warp touch the same sectors, which the check counts each time and allows.)
///
/// **Source**: Recommendation ITU-R BT.601.
void rgb_to_gray(MatrixView<const uchar3> in, MatrixView<unsigned char> out,
                 cudaStream_t stream = nullptr);

}  // namespace tut::ch03
