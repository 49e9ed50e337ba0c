/// \file
/// Convolutions of layers whose sizes nobody knew at compile time: what conv2d and its gradients
/// run for networks of one's own.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "13_convolution/convolution_shape.hpp"
#include "tut/tensor_view.hpp"

namespace tut::ch13 {

/// Whether the functions below compute such a layer: stride 1, filters of side 1, 3 or 5, at most
/// 65535 images, filters and channels.
constexpr bool has_tiles(const ConvolutionShape& s) {
  constexpr int most = 65535;
  return s.stride == 1 && s.f % 2 == 1 && s.f <= 5 && s.n <= most && s.k <= most && s.c <= most;
}

/// conv2d where has_tiles. A block stages a tile of some channels of one image in shared memory,
/// with the zeros of the padding, so that nothing but the copy asks what is inside of the image.
///
/// \param in, weights, bias, out, stream  as in conv2d
/// \param padding  p >= 0
///
/// Preconditions and errors: conv2d's; `std::invalid_argument` for a layer without tiles, too.
///
/// **Launch**: grid (tiles of 16 x up to 16 pixels, K / 8, N), block (16, up to 8); a thread
/// computes two pixels, one below the other, of 8 filters. 25,984 bytes of static shared memory for
/// F = 5, less below.
///
/// **Cost**: 2 out CF^2 FLOPs, of whole tiles and whole banks of 8 filters. A pixel and its
/// surroundings are read once for each bank.
void conv2d_tiles(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                  TensorView<float> out, int padding, cudaStream_t stream = nullptr);

/// conv2d_backward_input where has_tiles: the same kernel on d_out, with the filters turned half
/// round. It needs no scratch memory. Launch and cost: conv2d_tiles', with channels for filters.
void conv2d_tiles_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                                 TensorView<float> d_in, int padding,
                                 cudaStream_t stream = nullptr);

/// Floats of scratch memory that conv2d_tiles_backward_weights needs.
std::size_t conv2d_tiles_backward_weights_scratch(TensorView<const float> d_out,
                                                  TensorView<const float> d_weights);

/// The gradient of the weights by conv2d_backward_weights' contract, where has_tiles, without that
/// of the bias. Sums are added up in a fixed order.
///
/// **Launch**: grid (C, K / B, N / 8), block (16, F): a thread sums the products of a column of the
/// tiles with a row of taps of B filters, B = 8 for F up to 3 and 4 for 5; then sum_slices. At most
/// 18,848 bytes of static shared memory.
///
/// **Cost**: 2 K CF^2 pixels FLOPs. For each weight and 8 images 8 bytes of scratch memory written
/// and read.
void conv2d_tiles_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                                   TensorView<float> d_weights, std::span<float> scratch,
                                   int padding, cudaStream_t stream = nullptr);

}  // namespace tut::ch13
