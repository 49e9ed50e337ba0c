#include "13_convolution/conv2d.hpp"

#include "13_convolution/conv2d_implicit.hpp"
#include "13_convolution/conv2d_tiles.hpp"

namespace tut::ch13 {

void conv2d(TensorView<const float> in, TensorView<const float> weights, const float* bias,
            TensorView<float> out, Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, weights, out, options);
  if (suits_tiles(s)) return conv2d_tiles(in, weights, bias, out, s.padding, stream);
  conv2d_implicit(in, weights, bias, out, options, stream);
}

}  // namespace tut::ch13
