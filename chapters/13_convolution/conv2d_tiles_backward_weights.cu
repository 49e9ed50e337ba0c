#include <cstdint>

#include "13_convolution/conv2d_tiles.hpp"
#include "13_convolution/weight_tiles_launch.cuh"

namespace tut::ch13 {

std::size_t conv2d_tiles_backward_weights_scratch(TensorView<const float> d_out,
                                                  TensorView<const float> d_weights) {
  return partial_size(d_out, d_weights, false);
}

std::size_t conv2d_tiles_backward_weights_counters(TensorView<const float> d_weights) {
  return column_count(d_weights) * (MOST_GROUPS + 1);
}

void conv2d_tiles_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                                   TensorView<float> d_weights, const SliceSums& sums, int padding,
                                   cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, d_weights, d_out, {padding, 1});
  require_tiles(s);
  WeightLayer layer{};
  layer.d_out = d_out.data;
  layer.whole_loads =
      s.out_w() % STRIP == 0 && reinterpret_cast<std::uintptr_t>(d_out.data) % sizeof(float4) == 0;
  run_weight_tiles<StoredGradients>(in, d_out, d_weights, sums, padding, layer, stream);
}

}  // namespace tut::ch13
