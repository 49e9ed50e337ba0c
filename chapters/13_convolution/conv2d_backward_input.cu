#include "13_convolution/conv2d_backward_input.hpp"

#include "13_convolution/conv2d_implicit_backward_input.hpp"
#include "13_convolution/conv2d_tiles.hpp"

namespace tut::ch13 {

std::size_t conv2d_backward_input_scratch(TensorView<const float>, TensorView<const float>) {
  return 0;
}

void conv2d_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                           TensorView<float> d_in, std::span<float>, Conv2dOptions options,
                           cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(d_in, weights, d_out, options);
  if (suits_tiles(s)) return conv2d_tiles_backward_input(d_out, weights, d_in, s.padding, stream);
  conv2d_implicit_backward_input(d_out, weights, d_in, options, stream);
}

}  // namespace tut::ch13
