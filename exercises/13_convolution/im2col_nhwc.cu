#include "13_convolution/im2col_nhwc.hpp"

#include <string>

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int BLOCK_X = 32, BLOCK_Y = 8;

__global__ void im2col_nhwc_kernel(NhwcView<const float> in, MatrixView<float> rows,
                                   ConvolutionShape s) {
  int p = 0, k = 0;
  // TODO: Which pixel p and which tap k does this thread copy? A block has 32 x 8 threads, the grid
  // covers pixels in x, by eights, and taps in y, by 32. Neighbours in threadIdx.x shall copy
  // neighbours in memory. Threads outside of the matrix have nothing to do.

  // TODO: Find the tap's row, column and channel (the maps are in convolution_shape.hpp; which of the
  // two orders of taps is it?), then the pixel of the input that lies under the tap when the filter
  // is at pixel p of the output. Copy its element, or 0 if it lies in the padding.
}

}  // namespace

void im2col_nhwc(NhwcView<const float> in, MatrixView<float> rows, int side, Conv2dOptions options,
                 cudaStream_t stream) {
  const ConvolutionShape s{in.n, in.c, in.h, in.w, 1, side, options.padding, options.stride};
  require_shape(s);
  require(side >= 1, {"the filters are ", side, " wide; expected at least 1"});
  require_tensor(shape_of(in), "the input", in.n, in.c, in.h, in.w, "");
  require_matrix(rows, "the rows");
  if (rows.rows != s.out_pixels() || rows.cols != s.taps()) {
    require(false, {"the rows are ", shape_part(rows), ", the input ", shape_part(shape_of(in)),
                    "; expected ", s.out_pixels(), "x", s.taps()});
  }
  const dim3 block(BLOCK_X, BLOCK_Y);
  const dim3 grid(ceil_div(rows.rows, BLOCK_Y), ceil_div(rows.cols, BLOCK_X));
  im2col_nhwc_kernel<<<grid, block, 0, stream>>>(in, rows, s);
  check_launch();
}

}  // namespace tut::ch13
