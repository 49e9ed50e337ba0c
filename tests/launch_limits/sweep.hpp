#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "13_convolution/nhwc_view.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::test {

/// An address that nobody follows.
template <class T>
T* somewhere() {
  return reinterpret_cast<T*>(std::uintptr_t{1} << 40);
}

template <class T>
MatrixView<T> matrix(std::int64_t rows, std::int64_t cols) {
  return {somewhere<T>(), static_cast<int>(rows), static_cast<int>(cols), cols};
}

template <class T>
TensorView<T> tensor(std::int64_t n, int c, int h, int w) {
  return {somewhere<T>(), static_cast<int>(n), c, h, w};
}

template <class T>
ch13::NhwcView<T> nhwc(std::int64_t n, int c, int h, int w) {
  return {somewhere<T>(), static_cast<int>(n), h, w, c};
}

/// Any number of elements of T, as a span of whatever type the parameter has.
struct Elements {
  std::int64_t size;
  template <class T>
  operator std::span<T>() const {
    return {somewhere<T>(), static_cast<std::size_t>(size)};
  }
};

/// How many of something a launcher must take; beyond that it may refuse, by an exception.
inline constexpr std::int64_t ROWS = 500'000, IMAGES = 60'000, ELEMENTS = std::int64_t{1} << 31;

/// Calls with growing sizes up to `largest`. What is wrong, or "": up to `promised` every launch
/// must be one that a GPU takes; beyond, it may be refused by an exception, and then stays refused;
/// never may a larger size launch much less than a smaller one, as it would where an index
/// overflows.
std::string sweep_fault(std::int64_t promised, std::int64_t largest,
                        const std::function<void(std::int64_t)>& call);

/// The same as a test, with `name` in its message.
void sweep(const std::string& name, std::int64_t promised,
           const std::function<void(std::int64_t)>& call);

}  // namespace tut::test
