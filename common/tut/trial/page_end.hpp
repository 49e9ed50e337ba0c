#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "tut/matrix/matrix_view.hpp"
#include "tut/trial/call_failure.hpp"

namespace tut {

/// One or several pieces of host memory that end at a page boundary: the page after the last one
/// may not be used, those after the others may not be written. An access that breaks this is noted,
/// and the program continues.
class PageEndMemory {
 public:
  /// Throws std::bad_alloc if the system has no such memory, std::length_error if more than 16 live
  /// at a time.
  explicit PageEndMemory(std::size_t bytes, std::size_t pieces = 1);
  PageEndMemory(const PageEndMemory&) = delete;
  PageEndMemory& operator=(const PageEndMemory&) = delete;
  ~PageEndMemory();

  /// The first piece.
  std::byte* data() const noexcept { return end_ - bytes_; }
  /// Bytes from one piece to the next.
  std::size_t distance() const noexcept { return distance_; }
  /// How far behind the last byte of a piece the first use past its end was, from 1 to a page; 0:
  /// there was none.
  std::size_t passed_by() const noexcept;
  /// Which piece that was.
  std::size_t passed_piece() const noexcept;

 private:
  std::size_t bytes_, distance_, pieces_;
  std::byte* end_ = nullptr;  // of the first piece
  int slot_ = -1;
};

/// A copy of a matrix on the host whose last element ends where its memory ends.
template <class T>
class PageEndMatrix {
 public:
  explicit PageEndMatrix(MatrixView<const T> matrix)
      : matrix_(matrix),
        size_((static_cast<std::size_t>(matrix.rows) - 1) *
                  static_cast<std::size_t>(matrix.stride) +
              static_cast<std::size_t>(matrix.cols)),
        memory_(size_ * sizeof(T)) {
    std::memcpy(memory_.data(), matrix.data, size_ * sizeof(T));
  }

  MatrixView<T> view() const noexcept {
    return {reinterpret_cast<T*>(memory_.data()), matrix_.rows, matrix_.cols, matrix_.stride};
  }
  MatrixView<const T> cview() const noexcept { return view(); }

  /// What it holds now, padding included, into memory of the same layout.
  void copy_to(T* to) const { std::memcpy(to, memory_.data(), size_ * sizeof(T)); }

  /// Throws CallFailure of kind "out-of-bounds" if something behind the last element was used.
  void refuse_use_past_end(const std::string& name) const {
    const std::size_t bytes = memory_.passed_by();
    if (bytes == 0) return;
    const std::size_t elements = (bytes + sizeof(T) - 1) / sizeof(T);
    throw CallFailure("out-of-bounds",
                      "reads or writes memory past the end of " + name + ", " +
                          (elements == 1 ? "the element" : std::to_string(elements) + " elements") +
                          " after its last one; expected that only elements of " + name +
                          " are used");
  }

 private:
  MatrixView<const T> matrix_;
  std::size_t size_;
  PageEndMemory memory_;
};

/// A copy of a matrix on the host whose rows lie apart, each with memory behind it that nobody may
/// write to, not even what is there already.
template <class T>
class PageEndRows {
 public:
  explicit PageEndRows(MatrixView<const T> matrix)
      : memory_(static_cast<std::size_t>(matrix.cols) * sizeof(T),
                static_cast<std::size_t>(matrix.rows)),
        view_{reinterpret_cast<T*>(memory_.data()), matrix.rows, matrix.cols,
              static_cast<std::int64_t>(memory_.distance() / sizeof(T))} {
    for (int r = 0; r < matrix.rows; ++r) {
      std::memcpy(&view_(r, 0), &matrix(r, 0), static_cast<std::size_t>(matrix.cols) * sizeof(T));
    }
  }

  MatrixView<T> view() const noexcept { return view_; }
  MatrixView<const T> cview() const noexcept { return view_; }

  /// Throws CallFailure of kind "out-of-bounds" if something behind a row was written, or behind
  /// the last one used.
  void refuse_use_past_end(const std::string& name) const {
    const std::size_t bytes = memory_.passed_by();
    if (bytes == 0) return;
    const std::size_t column =
        static_cast<std::size_t>(view_.cols) + (bytes + sizeof(T) - 1) / sizeof(T) - 1;
    const bool is_last = memory_.passed_piece() + 1 == static_cast<std::size_t>(view_.rows);
    throw CallFailure("out-of-bounds",
                      std::string(is_last ? "reads or writes" : "writes") +
                          " memory past the end of row " + std::to_string(memory_.passed_piece()) +
                          " of " + name + ", at column " + std::to_string(column) + " of " +
                          std::to_string(view_.cols) + "; expected that nothing outside of " +
                          name + " is written, nor what is there written back");
  }

 private:
  PageEndMemory memory_;
  MatrixView<T> view_;
};

/// A matrix of floats on the host that notes when it is written. Its rows lie on pages of their
/// own, of which one is open at a time: whoever comes to another one, or back to one after he has
/// been to the inputs, is let go on, and is counted. Only one lives at a time.
class WatchedOutput {
 public:
  /// All elements are 0. Throws std::bad_alloc if the system has no such memory, std::logic_error
  /// if another one lives.
  WatchedOutput(int rows, int cols);
  WatchedOutput(const WatchedOutput&) = delete;
  WatchedOutput& operator=(const WatchedOutput&) = delete;
  ~WatchedOutput();

  MatrixView<float> view() const noexcept { return {data_, rows_, cols_, stride_}; }

  /// Memory that is only read, of ones: whoever comes to it leaves the matrix. To be taken before
  /// watching begins.
  const float* add_input(std::size_t floats);

  /// Runs `call`, which only the calling thread may work for, and notes what it writes.
  template <class Call>
  void watch(Call&& call) {
    begin();
    call();
    end();
  }

  /// How often a row was written: anew after other rows, or after the inputs. What writes often is
  /// not counted to the end.
  int most_writes_of_a_row() const noexcept;
  /// How often the matrix was written, anew after the inputs.
  std::int64_t writes() const noexcept;
  /// Whether a thread other than the watching one has used the matrix or an input.
  bool was_shared() const noexcept;

 private:
  void begin();
  void end();

  int rows_, cols_;
  std::int64_t stride_ = 0;
  float* data_ = nullptr;
  std::size_t used_of_inputs_ = 0;
};

}  // namespace tut
