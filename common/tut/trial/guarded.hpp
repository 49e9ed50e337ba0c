#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tut/matrix/host_matrix.hpp"
#include "tut/numeric/precision.hpp"
#include "tut/testing/outcome.hpp"

namespace tut {

/// Where else a contract allows a matrix to lie: `start` is the step in elements by which it may
/// begin later, `stride` that by which its rows may be longer; multiples are allowed, and 0 means
/// not at all.
struct Placement {
  std::size_t start = 1;
  std::int64_t stride = 1;
};

/// The memory of a rows x cols matrix with a guard zone before and after it, on the host: the image
/// of what a function under test gets, and of what it left behind.
///
/// Elements start as unwritten_value<T>(), everything around them as padding_value<T>().
template <class T>
class Guarded {
 public:
  /// `guard` elements on each side; 0 for a matrix that ends where its memory ends.
  Guarded(int rows, int cols, std::int64_t stride, std::size_t guard)
      : rows_(rows), cols_(cols), stride_(stride), guard_(guard) {
    const HostMatrix<T> matrix(rows, cols, stride);
    memory_.assign(matrix.span().size() + 2 * guard, padding_value<T>());
    std::ranges::copy(matrix.span(), memory_.begin() + static_cast<std::ptrdiff_t>(guard));
  }

  std::vector<T>& memory() noexcept { return memory_; }
  const std::vector<T>& memory() const noexcept { return memory_; }
  int rows() const noexcept { return rows_; }
  int cols() const noexcept { return cols_; }
  std::int64_t stride() const noexcept { return stride_; }

  /// Anywhere, if nobody says otherwise.
  const Placement& placement() const noexcept { return placement_; }
  void set_placement(const Placement& placement) noexcept { placement_ = placement; }

  /// Whether it is scratch memory: what a call leaves in it is no result.
  bool is_scratch() const noexcept { return is_scratch_; }
  void set_scratch() noexcept { is_scratch_ = true; }

  /// The matrix in this memory, or in a copy of this memory at `base`.
  MatrixView<T> view() noexcept { return view_in(memory_.data()); }
  MatrixView<const T> cview() const noexcept { return view_in(memory_.data()); }
  template <class Pointee>
  MatrixView<Pointee> view_in(Pointee* base) const noexcept {
    return {base + guard_, rows_, cols_, stride_};
  }

  /// How many elements of the memory lie before the first of the matrix, and behind its last.
  std::uint64_t elements_before() const noexcept { return guard_; }
  std::uint64_t elements_behind() const noexcept {
    if (rows_ == 0 || cols_ == 0) return memory_.size() - guard_;
    const auto last = guard_ + static_cast<std::uint64_t>((rows_ - 1) * stride_ + cols_);
    return memory_.size() - last;
  }

  void set(const HostMatrix<T>& values) {
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < cols_; ++c) view()(r, c) = values(r, c);
    }
  }
  void fill(const T& value) {
    for (int r = 0; r < rows_; ++r) std::fill_n(&view()(r, 0), cols_, value);
  }
  /// Sets everything around the elements, for functions that turn padding_value<T>() into itself.
  void surround(const T& value) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (!is_element(i)) memory_[i] = value;
    }
  }

  /// Tells padding_value<T>() around the elements from that of other matrices by a number, up to 7,
  /// so that one which arithmetic took along from there is seen here.
  void number_padding(unsigned number) {
    if constexpr (sizeof(T) > 1) {
      const auto bits = bits_of(padding_value<T>());
      replace_padding(from_bits<T>(static_cast<std::decay_t<decltype(bits)>>(bits ^ number)));
    }
  }
  /// Another value around the elements in place of padding_value<T>(), which as a NaN stays the
  /// same when it is multiplied.
  void replace_padding(const T& value) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (!is_element(i) && bits_of(memory_[i]) == bits_of(padding_value<T>())) memory_[i] = value;
    }
  }

  /// The same elements in the opposite order: other data of the same kind, in the same place.
  Guarded reversed() const {
    Guarded result = *this;
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < cols_; ++c) {
        result.view()(r, c) = cview()(rows_ - 1 - r, cols_ - 1 - c);
      }
    }
    return result;
  }

  /// The same elements in other memory, where they begin `further` elements later, with `wider`
  /// elements more from one row to the next. If it `fits` to the byte, it has nothing but the
  /// `further` elements before the first, and ends with the last.
  Guarded moved(std::size_t further, std::int64_t wider, bool fits) const {
    Guarded result(rows_, cols_, stride_ + wider, (fits ? 0 : guard_) + further);
    if (guard_ > 0) result.surround(memory_.front());
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < cols_; ++c) result.view()(r, c) = cview()(r, c);
    }
    if (fits && rows_ > 0) {
      const auto beside = static_cast<std::size_t>(result.stride_ - cols_);
      result.memory_.resize(result.memory_.size() - further - beside);
    }
    return result;
  }

  /// The first place that changed outside of the matrix, as an offset from its first element, said
  /// in words; "" if there is none. `name` is "C", or "the output".
  std::string change_outside(const Guarded& before, const std::string& name, bool is_vector) const {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (bits_of(memory_[i]) == bits_of(before.memory_[i])) continue;
      if (!is_element(i))
        return "wrote outside of " + name + " at " + place(offset_of(i), is_vector);
    }
    return "";
  }

  /// The first element that changed at all, for memory that must only be read.
  std::string change(const Guarded& before, const std::string& name, bool is_vector) const {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (bits_of(memory_[i]) == bits_of(before.memory_[i])) continue;
      return name + " must not change, and is changed at " + place(offset_of(i), is_vector) +
             change_text(before.memory_[i], memory_[i]);
    }
    return "";
  }

 private:
  std::int64_t offset_of(std::size_t i) const noexcept {
    return static_cast<std::int64_t>(i) - static_cast<std::int64_t>(guard_);
  }
  bool is_element(std::size_t i) const noexcept {
    return offset_of(i) >= 0 && offset_of(i) < rows_ * stride_ && offset_of(i) % stride_ < cols_;
  }
  std::string place(std::int64_t offset, bool is_vector) const {
    if (is_vector || offset < 0 || offset >= rows_ * stride_) {
      const std::string size =
          is_vector ? std::to_string(cols_) + " elements"
                    : std::to_string(rows_) + " rows of stride " + std::to_string(stride_);
      return "index " + std::to_string(offset) + " (it has " + size + ")";
    }
    return "row " + std::to_string(offset / stride_) + ", column " +
           std::to_string(offset % stride_) + " (it has " + std::to_string(cols_) +
           " columns, stride " + std::to_string(stride_) + ")";
  }

  /// ": it was 2 and is now 3"; "" for values that read the same, or of which there is no text.
  static std::string change_text(const T& before, const T& after) {
    std::string was, is;
    if constexpr (std::is_integral_v<T>) {
      was = std::to_string(before), is = std::to_string(after);
    } else if constexpr (std::is_same_v<T, double>) {
      was = value_text(before), is = value_text(after);
    } else if constexpr (std::is_convertible_v<T, float>) {
      was = value_text(static_cast<float>(before)), is = value_text(static_cast<float>(after));
    }
    return was == is ? "" : ": it was " + was + " and is now " + is;
  }

  int rows_, cols_;
  std::int64_t stride_;
  std::size_t guard_;
  Placement placement_;
  bool is_scratch_ = false;
  std::vector<T> memory_;
};

}  // namespace tut
