/// \file
/// Direct convolutions in tiles: a pixel that is staged once serves all taps of many filters.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// Whether the functions below compute such a layer: stride 1, filters of side 1, 3 or 5, at most
/// 65535 images, filters and channels.
constexpr bool has_tiles(const ConvolutionShape& s) {
  constexpr int most = 65535;
  return s.stride == 1 && s.f % 2 == 1 && s.f <= 5 && s.n <= most && s.k <= most && s.c <= most;
}

/// Whether conv2d and its gradients compute such a layer here or as an implicit product. Here a
/// pixel serves F^2 taps of up to 32 filters, whatever their number. The product has larger tiles,
/// which cost less besides the multiply-adds, but only where there are filters and channels to fill
/// them: with fewer, part of every tile is computed for nothing. A filter of one tap has no pixels
/// to share between taps, so that the product pays sooner.
constexpr bool suits_tiles(const ConvolutionShape& s) {
  const int enough = s.f > 1 ? 128 : 64;
  return has_tiles(s) && (s.k < enough || s.c < enough);
}

/// conv2d where has_tiles. A block stages the pixels under its strips, some channels at a time, in
/// shared memory, with the zeros of the padding, so that nothing but the copy asks what is inside
/// of the image. A thread computes a strip of 4 pixels of 8 filters in registers.
///
/// \param in, weights, bias, out, stream  as in conv2d
/// \param padding  p >= 0
///
/// Preconditions and errors: conv2d's; `std::invalid_argument` for a layer without tiles, too.
///
/// **Launch**: block (S, B), where B banks of 8 filters are 4, or 2 or 1 if that leaves none
/// without work, and S strips are 256 / B, or half or a quarter of it, but at least 64, if there
/// would be fewer than 256 blocks. A row is cut into T tiles of up to 16 strips; the strips of a
/// column of tiles are numbered through all images, and blocks take S each: grid (T * blocks of a
/// column, ⌈K/8B⌉). Dynamic shared memory: up to 37 KB for most layers, up to 48 KiB for images of
/// one row.
///
/// **Cost**: 2 out CF^2 FLOPs, of whole strips and whole banks of 8 filters. A pixel and its
/// surroundings are read once for 8B filters, a filter once for 4S pixels.
void conv2d_tiles(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                  TensorView<float> out, int padding, cudaStream_t stream = nullptr);

/// conv2d_backward_input where has_tiles: the same kernel on d_out, with the filters turned half
/// round. It needs no scratch memory. Launch and cost: conv2d_tiles', with channels for filters.
void conv2d_tiles_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                                 TensorView<float> d_in, int padding,
                                 cudaStream_t stream = nullptr);

/// Device memory in which the blocks of conv2d_tiles_backward_weights add up their sums. Calls that
/// may run at the same time need separate memory.
struct SliceSums {
  std::span<float> partial = {};      ///< conv2d_tiles_backward_weights_scratch floats; overwritten
  std::span<unsigned> finished = {};  ///< conv2d_tiles_backward_weights_counters counters, 0; they
                                      ///< are 0 again when the work is done
};

/// How many floats SliceSums::partial needs for these shapes, and for fewer images.
std::size_t conv2d_tiles_backward_weights_scratch(TensorView<const float> d_out,
                                                  TensorView<const float> d_weights);

/// How many counters SliceSums::finished needs for this shape.
std::size_t conv2d_tiles_backward_weights_counters(TensorView<const float> d_weights);

/// The gradient of the weights by conv2d_backward_weights' contract, where has_tiles, without that
/// of the bias. A warp sums the products of 8 filters with a row of taps of 4 channels (of one, if
/// there are fewer) in registers; its lanes share out the strips of pixels, and add up their sums
/// by shuffles. Slices of the batch are added up in groups of about their square root, by the last
/// block of each group, and the groups by the last one of all. The order depends on the shape and
/// on how many multiprocessors the device has, alone.
///
/// **Launch**: grid (⌈C/4⌉, ⌈K/8B⌉, slices), or (C, ...) for C < 4; block (32, BF), where B banks
/// of 8 filters are 2, or 1 if ⌈K/8⌉ is odd; about 4 blocks for each multiprocessor, and at most
/// about 512, if there are as many tiles of up to 64 strips. Dynamic shared memory: 9 to 42 KB.
///
/// **Cost**: 2 K CF^2 pixels FLOPs, of whole strips. A pixel is read once for 8B filters, a
/// gradient once for 4 channels. For each weight and slice 8 bytes of scratch memory written and
/// read, and as much for each group.
void conv2d_tiles_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                                   TensorView<float> d_weights, const SliceSums& sums, int padding,
                                   cudaStream_t stream = nullptr);

}  // namespace tut::ch13
