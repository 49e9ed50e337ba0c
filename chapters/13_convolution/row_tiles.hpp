#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tut/require.hpp"
#include "tut/tensor_view.hpp"

namespace tut::ch13 {

/// How many rows of `width` pixels a block of threads takes: the most that divide `height` within
/// 256 threads, and at least one. Blocks then cover the plane exactly.
constexpr int rows_per_block(int height, int width) {
  int rows = 1;
  for (int r = 2; r <= height && r * width <= 256; ++r) {
    if (height % r == 0) rows = r;
  }
  return rows;
}

/// Whether the tensor's images are of this size.
template <class T>
bool has_image(const TensorView<T>& tensor, int channels, int height, int width) {
  return tensor.c == channels && tensor.h == height && tensor.w == width;
}

/// Throws std::invalid_argument unless `weights` can convolve `in` into `out` (see conv2d).
template <class In, class Weights, class Out>
void require_convolution(const TensorView<In>& in, const TensorView<Weights>& weights,
                         const TensorView<Out>& out,
                         const SourceLocation& where = SourceLocation::current()) {
  const int side = weights.h;
  require_tensor(in, "the input", in.n, in.c, in.h, in.w, "", where);
  require_tensor(weights, "the weights", weights.n, in.c, side, side,
                 "square filters with the input's channels", where);
  require_tensor(out, "the output", in.n, weights.n, in.h - side + 1, in.w - side + 1,
                 "the input's images, a channel for each filter, the pixels a filter fits on",
                 where);
  if (out.w > 1024 || out.n > 65535 || out.c > 65535) {
    require(false,
            "the output is " + shape_text(out) +
                "; expected at most 1024 columns, 65535 images and 65535 channels",
            where);
  }
}

/// Throws std::invalid_argument unless `scratch` holds at least `size` floats.
inline void require_scratch(std::span<const float> scratch, std::size_t size,
                            const SourceLocation& where = SourceLocation::current()) {
  if (scratch.data() != nullptr && scratch.size() >= size) return;
  require(false,
          "the scratch memory holds " + std::to_string(scratch.size()) + " floats; expected " +
              std::to_string(size),
          where);
}

}  // namespace tut::ch13
