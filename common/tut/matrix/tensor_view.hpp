#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "tut/errors/message.hpp"
#include "tut/errors/source_location.hpp"

namespace tut {

/// Four-dimensional data without gaps: images of channels of rows, `w` fastest ("NCHW"). Owns
/// nothing. `TensorView<float>` becomes `TensorView<const float>` by itself.
template <class T>
struct TensorView {
  T* data = nullptr;
  int n = 0;  ///< images, or filters
  int c = 0;  ///< channels
  int h = 0;  ///< rows
  int w = 0;  ///< columns

  constexpr std::int64_t size() const { return std::int64_t{n} * c * h * w; }

  /// The element in image `i`, channel `j`, row `y`, column `x`.
  constexpr T& operator()(int i, int j, int y, int x) const {
    return data[((std::int64_t{i} * c + j) * h + y) * w + x];
  }

  template <std::same_as<const T> ConstT>
  requires(!std::is_const_v<T>) constexpr operator TensorView<ConstT>() const {
    return {data, n, c, h, w};
  }
};

/// The shape of a view, for a message: (8, 1, 5, 5).
template <class T>
constexpr ShapePart shape_part(const TensorView<T>& view) {
  return {4, {view.n, view.c, view.h, view.w}};
}

/// "(8, 1, 5, 5)".
template <class T>
std::string shape_text(const TensorView<T>& view) {
  return text_of({shape_part(view)});
}

/// Whether int counts the planes, and the elements of each, and std::int64_t all: kernels do.
template <class T>
constexpr bool is_countable(const TensorView<T>& view) {
  constexpr std::int64_t most = 0x7FFFFFFF;
  const std::int64_t planes = std::int64_t{view.n} * view.c, area = std::int64_t{view.h} * view.w;
  return planes <= most && area <= most;
}

/// Throws std::invalid_argument unless the tensor `name` has data and the given shape, and is
/// countable. `relation` says in words where that shape is from, such as "the shape of the input".
template <class T>
void require_tensor(const TensorView<T>& view, const char* name, int n, int c, int h, int w,
                    const char* relation, const SourceLocation& where = SourceLocation::current()) {
  const bool same = view.n == n && view.c == c && view.h == h && view.w == w;
  const bool empty = n <= 0 || c <= 0 || h <= 0 || w <= 0;
  if (same && !empty && view.data != nullptr && is_countable(view)) return;
  if (!same) {
    throw_invalid(
        {name, " is ", shape_part(view), "; expected ", ShapePart{4, {n, c, h, w}}, ", ", relation},
        where);
  }
  throw_invalid({name, " is ", shape_part(view),
                 empty                  ? "; expected no empty dimension"
                 : view.data == nullptr ? " with no data (a null pointer)"
                                        : "; expected fewer than 2^31 planes, of fewer elements"},
                where);
}

}  // namespace tut
