/// \file
/// Images with their channels innermost, the layout that tensor cores want: eight channels of a
/// pixel are 16 bytes in a row.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "13_convolution/convolution_shape.hpp"

namespace tut::ch13 {

/// Four-dimensional data without gaps: images of rows of pixels of channels, `c` fastest ("NHWC").
/// A bank of filters lies the same way, (K, F, F, C). Owns nothing.
template <class T>
struct NhwcView {
  T* data = nullptr;
  int n = 0;  ///< images, or filters
  int h = 0;  ///< rows
  int w = 0;  ///< columns
  int c = 0;  ///< channels

  constexpr std::int64_t size() const { return std::int64_t{n} * h * w * c; }

  /// The element in image `i`, row `y`, column `x`, channel `j`.
  constexpr T& operator()(int i, int y, int x, int j) const {
    return data[((std::int64_t{i} * h + y) * w + x) * c + j];
  }

  template <std::same_as<const T> ConstT>
  requires(!std::is_const_v<T>) constexpr operator NhwcView<ConstT>() const {
    return {data, n, h, w, c};
  }
};

/// The same sizes as a TensorView: the checks of shapes are written for those.
template <class T>
constexpr TensorView<T> shape_of(const NhwcView<T>& view) {
  return {view.data, view.n, view.c, view.h, view.w};
}

/// Whether pixels can be read 16 bytes at a time: 8 channels of 16 bits, or 4 of TF32.
template <class T>
bool takes_chunks(const NhwcView<T>& view) {
  return view.c % static_cast<int>(16 / sizeof(T)) == 0 &&
         reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0;
}

/// require_convolution for NHWC; messages say (N, C, H, W) all the same.
template <class In, class Weights, class Out>
ConvolutionShape require_convolution(const NhwcView<In>& in, const NhwcView<Weights>& weights,
                                     const NhwcView<Out>& out, Conv2dOptions options = {},
                                     const SourceLocation& where = SourceLocation::current()) {
  return require_convolution(shape_of(in), shape_of(weights), shape_of(out), options, where);
}

}  // namespace tut::ch13
