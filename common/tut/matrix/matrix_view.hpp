#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tut {

/// A row-major matrix somewhere in memory, on the host or on the device; it owns nothing.
///
/// Element (r, c) is at `data[r * stride + c]`; `stride` counts elements and may exceed `cols`.
/// Everything is usable in kernels.
template <class T>
struct MatrixView {
  T* data;
  int rows, cols;
  std::int64_t stride;

  constexpr T& operator()(int r, int c) const { return data[r * stride + c]; }

  /// The `height` x `width` part whose first element is (r, c).
  constexpr MatrixView block(int r, int c, int height, int width) const {
    return {data + r * stride + c, height, width, stride};
  }

  template <std::same_as<const T> ConstT>
  requires(!std::is_const_v<T>) constexpr operator MatrixView<ConstT>() const {
    return {data, rows, cols, stride};
  }
};

}  // namespace tut
