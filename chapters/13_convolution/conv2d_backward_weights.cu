#include "13_convolution/conv2d_backward_weights.hpp"

#include <algorithm>

#include "13_convolution/conv2d_backward_bias.hpp"
#include "13_convolution/conv2d_implicit_backward_weights.hpp"
#include "13_convolution/conv2d_tiles.hpp"
#include "13_convolution/scratch.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch13 {
namespace {

// The tiles' counters lie behind their sums.
std::size_t tiles_scratch(TensorView<const float> d_out, TensorView<const float> d_weights) {
  return conv2d_tiles_backward_weights_scratch(d_out, d_weights) +
         conv2d_tiles_backward_weights_counters(d_weights);
}

SliceSums with_counters(TensorView<const float> d_out, TensorView<const float> d_weights,
                        std::span<float> scratch, cudaStream_t stream) {
  const std::size_t size = conv2d_tiles_backward_weights_scratch(d_out, d_weights);
  const std::span<unsigned> finished(reinterpret_cast<unsigned*>(scratch.data() + size),
                                     conv2d_tiles_backward_weights_counters(d_weights));
  check(cudaMemsetAsync(finished.data(), 0, finished.size_bytes(), stream));
  return {scratch.first(size), finished};
}

}  // namespace

std::size_t conv2d_backward_weights_scratch(TensorView<const float> d_out,
                                            TensorView<const float> d_weights) {
  const std::size_t size = std::max(conv2d_implicit_backward_weights_scratch(d_out, d_weights),
                                    tiles_scratch(d_out, d_weights));
  return size + conv2d_backward_bias_scratch(d_out);
}

std::size_t conv2d_backward_weights_counters(TensorView<const float> d_weights) {
  return conv2d_tiles_backward_weights_counters(d_weights);
}

void conv2d_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                             TensorView<float> d_weights, float* d_bias, const SliceSums& sums,
                             Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, d_weights, d_out, options);
  require_scratch(sums.partial, conv2d_backward_weights_scratch(d_out, d_weights));
  const std::size_t bias_size = conv2d_backward_bias_scratch(d_out);
  if (d_bias != nullptr) conv2d_backward_bias(d_out, d_bias, sums.partial.first(bias_size), stream);

  const std::span<float> partial = sums.partial.subspan(bias_size);
  if (suits_tiles(s)) {
    const SliceSums slices = sums.finished.empty()
                                 ? with_counters(d_out, d_weights, partial, stream)
                                 : SliceSums{partial, sums.finished};
    conv2d_tiles_backward_weights(in, d_out, d_weights, slices, s.padding, stream);
  } else {
    conv2d_implicit_backward_weights(in, d_out, d_weights, partial, options, stream);
  }
}

}  // namespace tut::ch13
