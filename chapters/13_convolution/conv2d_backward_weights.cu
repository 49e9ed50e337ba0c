#include "13_convolution/conv2d_backward_weights.hpp"

#include <algorithm>

#include "13_convolution/conv2d_backward_bias.hpp"
#include "13_convolution/conv2d_implicit_backward_weights.hpp"
#include "13_convolution/conv2d_tiles.hpp"
#include "13_convolution/scratch.hpp"

namespace tut::ch13 {

std::size_t conv2d_backward_weights_scratch(TensorView<const float> d_out,
                                            TensorView<const float> d_weights) {
  const std::size_t size = std::max(conv2d_implicit_backward_weights_scratch(d_out, d_weights),
                                    conv2d_tiles_backward_weights_scratch(d_out, d_weights));
  return size + conv2d_backward_bias_scratch(d_out);
}

void conv2d_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                             TensorView<float> d_weights, float* d_bias, std::span<float> scratch,
                             Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, d_weights, d_out, options);
  require_scratch(scratch, conv2d_backward_weights_scratch(d_out, d_weights));
  const std::size_t bias_size = conv2d_backward_bias_scratch(d_out);
  if (d_bias != nullptr) conv2d_backward_bias(d_out, d_bias, scratch.first(bias_size), stream);

  const std::span<float> partial = scratch.subspan(bias_size);
  if (suits_tiles(s)) {
    conv2d_tiles_backward_weights(in, d_out, d_weights, partial, s.padding, stream);
  } else {
    conv2d_implicit_backward_weights(in, d_out, d_weights, partial, options, stream);
  }
}

}  // namespace tut::ch13
