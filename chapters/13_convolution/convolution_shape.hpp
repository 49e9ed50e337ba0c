/// \file
/// The sizes of a convolution and the maps between its indices: which pixel and which tap an index
/// stands for, and where their product's factor lies in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

#include "tut/errors/require.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// How the filters move: over an image with `padding` rows and columns of zeros on each side, in
/// steps of `stride` pixels.
struct Conv2dOptions {
  int padding = 0;
  int stride = 1;
};

//! [maps]
/// A place in a batch of images, whatever the channel.
struct Pixel {
  int image, y, x;
};

/// A place in a filter.
struct Tap {
  int channel, row, col;
};

/// Pixel `index` of images of height x width, in memory's order.
constexpr Pixel pixel_of(int index, int height, int width) {
  const int row = index / width;  // counted through all images
  return {row / height, row % height, index % width};
}

/// Tap `index` of a filter (C, F, F). A constant SIDE = F saves the divisions; 0 means `side`.
template <int SIDE = 0>
constexpr Tap tap_of(int index, int side) {
  const int f = SIDE > 0 ? SIDE : side;
  const int row = index / f;  // counted through all channels
  return {row / f, row % f, index % f};
}
//! [maps]

/// Tap `index` of a filter (F, F, C), channels innermost.
constexpr Tap tap_of_nhwc(int index, int side, int channels) {
  const int place = index / channels;
  return {index % channels, place / side, place % side};
}

/// The tap behind this one.
constexpr Tap next_tap_nhwc(const Tap& tap, int side, int channels) {
  if (tap.channel + 1 < channels) return {tap.channel + 1, tap.row, tap.col};
  if (tap.col + 1 < side) return {0, tap.row, tap.col + 1};
  return {0, tap.row + 1, 0};
}

/// n images of c channels, h x w pixels; k filters of f x f taps in each channel.
struct ConvolutionShape {
  int n = 0, c = 0, h = 0, w = 0;
  int k = 0, f = 0;
  int padding = 0, stride = 1;

  constexpr int out_h() const { return out_side(h); }
  constexpr int out_w() const { return out_side(w); }
  /// Weights of one filter: the depth of every sum.
  constexpr int taps() const { return c * f * f; }
  constexpr int in_pixels() const { return n * h * w; }
  /// 0 where a filter fits on none.
  constexpr int out_pixels() const { return n * std::max(out_h(), 0) * std::max(out_w(), 0); }
  constexpr std::int64_t in_size() const { return std::int64_t{n} * c * h * w; }
  constexpr std::int64_t out_size() const { return std::int64_t{n} * k * out_h() * out_w(); }
  constexpr std::int64_t weights_size() const { return std::int64_t{k} * taps(); }
  constexpr double flops() const { return 2.0 * static_cast<double>(out_size()) * taps(); }

  /// How many pixels a filter fits on along a side; none or fewer where it fits on none.
  constexpr int out_side(int side) const {
    const std::int64_t room = side + std::int64_t{2} * padding - f;
    return static_cast<int>(room < 0 ? room + 1 : room / stride + 1);
  }
};

//! [in-place]
/// The place of the input's pixel that tap (row, col) lies over when the filter is at `out`; image
/// -1 if that is in the padding.
constexpr Pixel under_tap(const ConvolutionShape& s, const Pixel& out, int row, int col) {
  const int y = out.y * s.stride + row - s.padding;
  const int x = out.x * s.stride + col - s.padding;
  const bool inside = y >= 0 && y < s.h && x >= 0 && x < s.w;
  return {inside ? out.image : -1, y, x};
}
//! [in-place]

//! [over-pixel]
/// The other way round: where the filter is when its tap (row, col) lies over the input's pixel
/// `in`; image -1 if it is never there.
constexpr Pixel over_pixel(const ConvolutionShape& s, const Pixel& in, int row, int col) {
  const int y = in.y + s.padding - row, x = in.x + s.padding - col;
  const int out_y = y / s.stride, out_x = x / s.stride;
  const bool there = y >= 0 && x >= 0 && out_y * s.stride == y && out_x * s.stride == x &&
                     y <= s.h + 2 * s.padding - s.f && x <= s.w + 2 * s.padding - s.f;
  return {there ? in.image : -1, out_y, out_x};
}
//! [over-pixel]

/// Whether an int holds the product of the sides.
constexpr bool product_fits(std::initializer_list<int> sides) {
  double product = 1.0;
  for (const int side : sides) product *= std::max(side, 0);
  return product <= std::numeric_limits<int>::max();
}

/// Throws std::invalid_argument unless the options make sense and indices of the input's and the
/// output's elements are below 2^31: they are int.
inline void require_images(const ConvolutionShape& s,
                           const SourceLocation& where = SourceLocation::current()) {
  if (s.padding < 0 || s.stride < 1) {
    require(
        false,
        {"the padding is ", s.padding, " and the stride ", s.stride, "; expected at least 0 and 1"},
        where);
  }
  constexpr std::int64_t limit = std::numeric_limits<int>::max();
  if (std::max(s.h, s.w) + std::int64_t{2} * s.padding > limit) {
    require(
        false,
        {"the padding is ", s.padding, "; expected fewer than 2^31 pixels along a side with it"},
        where);
  }
  if (!product_fits({s.n, s.c, s.h, s.w}) || !product_fits({s.n, s.k, s.out_h(), s.out_w()})) {
    require(false, "a tensor of the convolution has 2^31 elements or more", where);
  }
}

/// The same of the weights' elements.
inline void require_weights(const ConvolutionShape& s,
                            const SourceLocation& where = SourceLocation::current()) {
  if (!product_fits({s.k, s.c, s.f, s.f})) {
    require(false, "a tensor of the convolution has 2^31 elements or more", where);
  }
}

/// Both.
inline void require_shape(const ConvolutionShape& s,
                          const SourceLocation& where = SourceLocation::current()) {
  require_images(s, where);
  require_weights(s, where);
}

/// Throws std::invalid_argument unless `out` is what filters of the shape `s` leave of `in`.
template <class In, class Out>
void require_positions(const TensorView<In>& in, const ConvolutionShape& s,
                       const TensorView<Out>& out,
                       const SourceLocation& where = SourceLocation::current()) {
  require_images(s, where);
  require_tensor(in, "the input", in.n, in.c, in.h, in.w, "", where);
  require_tensor(out, "the output", in.n, s.k, s.out_h(), s.out_w(),
                 "the input's images, a channel for each filter, the pixels a filter fits on",
                 where);
}

/// Throws std::invalid_argument unless `weights` can convolve `in` into `out` (see conv2d); returns
/// the sizes.
template <class In, class Weights, class Out>
ConvolutionShape require_convolution(const TensorView<In>& in, const TensorView<Weights>& weights,
                                     const TensorView<Out>& out, Conv2dOptions options = {},
                                     const SourceLocation& where = SourceLocation::current()) {
  const ConvolutionShape s{in.n,          in.c, in.h, in.w, weights.n, weights.h, options.padding,
                           options.stride};
  require_weights(s, where);
  require_tensor(weights, "the weights", weights.n, in.c, weights.h, weights.h,
                 "square filters with the input's channels", where);
  require_positions(in, s, out, where);
  return s;
}

}  // namespace tut::ch13
