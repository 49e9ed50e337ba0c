#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "tut/errors/message.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/numeric/precision.hpp"

namespace tut {

/// Owns a row-major matrix of rows x cols elements on the host, rows `stride` elements apart.
///
/// Elements start as unwritten_value<T>(), the padding between rows as padding_value<T>(): NaN
/// where T has one. Throws std::invalid_argument for a negative size or a stride below `cols`.
template <class T>
class HostMatrix {
 public:
  HostMatrix() = default;
  HostMatrix(int rows, int cols) : HostMatrix(rows, cols, cols) {}
  HostMatrix(int rows, int cols, std::int64_t stride) : rows_(rows), cols_(cols), stride_(stride) {
    if (rows < 0 || cols < 0 || stride < cols) {
      throw_invalid({"a matrix of ", ShapePart{2, {rows, cols}}, " with stride ", stride,
                     "; expected sizes of at least 0 and a stride of at least ", cols});
    }
    data_.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride),
                 padding_value<T>());
    fill(unwritten_value<T>());
  }

  int rows() const noexcept { return rows_; }
  int cols() const noexcept { return cols_; }
  std::int64_t stride() const noexcept { return stride_; }
  T* data() noexcept { return data_.data(); }
  const T* data() const noexcept { return data_.data(); }

  /// All elements in memory, padding included.
  std::span<T> span() noexcept { return data_; }
  std::span<const T> span() const noexcept { return data_; }
  /// The elements of one row, without the padding.
  std::span<T> row(int r) { return span().subspan(index(r, 0), static_cast<std::size_t>(cols_)); }
  std::span<const T> row(int r) const {
    return span().subspan(index(r, 0), static_cast<std::size_t>(cols_));
  }

  T& operator()(int r, int c) { return data_[index(r, c)]; }
  const T& operator()(int r, int c) const { return data_[index(r, c)]; }

  MatrixView<T> view() noexcept { return {data_.data(), rows_, cols_, stride_}; }
  MatrixView<const T> view() const noexcept { return cview(); }
  MatrixView<const T> cview() const noexcept { return {data_.data(), rows_, cols_, stride_}; }

  /// Sets every element; the padding stays.
  void fill(const T& value) {
    for (int r = 0; r < rows_; ++r) std::ranges::fill(row(r), value);
  }

 private:
  std::size_t index(int r, int c) const {
    return static_cast<std::size_t>(r) * static_cast<std::size_t>(stride_) +
           static_cast<std::size_t>(c);
  }

  int rows_ = 0, cols_ = 0;
  std::int64_t stride_ = 0;
  std::vector<T> data_;
};

/// A matrix whose element (r, c) is function(r, c), converted to T.
template <class T, class Function>
HostMatrix<T> make_matrix(int rows, int cols, Function&& function) {
  HostMatrix<T> matrix(rows, cols);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) matrix(r, c) = static_cast<T>(function(r, c));
  }
  return matrix;
}

/// The values in double, exactly, without padding.
template <class T>
HostMatrix<double> to_double_matrix(const MatrixView<T>& view) {
  return make_matrix<double>(view.rows, view.cols,
                             [&](int r, int c) { return to_double(view(r, c)); });
}

}  // namespace tut
