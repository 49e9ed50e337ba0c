#pragma once

#include <stdexcept>
#include <string>

#include "tut/matrix_view.hpp"
#include "tut/source_location.hpp"

namespace tut {

/// "64x48" for a view of 64 rows and 48 columns.
template <class T>
std::string shape_text(const MatrixView<T>& view) {
  return std::to_string(view.rows) + "x" + std::to_string(view.cols);
}

/// Throws std::invalid_argument with `message` and the place of the call unless `condition` holds.
inline void require(bool condition, const std::string& message,
                    const SourceLocation& where = SourceLocation::current()) {
  if (condition) return;
  throw std::invalid_argument(message + " (" + where.file_name() + ":" +
                              std::to_string(where.line()) + ")");
}

/// Throws std::invalid_argument unless the view has at least one row and column, a stride that is
/// not below its columns, and data.
template <class T>
void require_matrix(const MatrixView<T>& view, const char* name,
                    const SourceLocation& where = SourceLocation::current()) {
  if (view.rows > 0 && view.cols > 0 && view.stride >= view.cols && view.data != nullptr) return;
  require(view.rows > 0 && view.cols > 0,
          std::string(name) + " is " + shape_text(view) + "; expected at least 1x1", where);
  require(view.stride >= view.cols,
          std::string(name) + " is " + shape_text(view) + " with stride " +
              std::to_string(view.stride) + "; expected a stride of at least " +
              std::to_string(view.cols),
          where);
  require(false, std::string(name) + " is " + shape_text(view) + " with no data (a null pointer)",
          where);
}

/// Throws std::invalid_argument, naming all three shapes, unless A is (M, K), B (K, N), C (M, N),
/// none is empty, and each is a valid view.
template <class A, class B, class C>
void require_matmul_shapes(const MatrixView<A>& a, const MatrixView<B>& b, const MatrixView<C>& c,
                           const SourceLocation& where = SourceLocation::current()) {
  if (a.cols != b.rows || c.rows != a.rows || c.cols != b.cols) {
    require(false,
            "matmul shapes do not fit: A is " + shape_text(a) + ", B is " + shape_text(b) +
                ", C is " + shape_text(c) + "; expected (M, K) x (K, N) = (M, N)",
            where);
  }
  require_matrix(a, "A", where);
  require_matrix(b, "B", where);
  require_matrix(c, "C", where);
}

/// Throws std::invalid_argument, naming both shapes, unless they are equal and each view is valid.
template <class A, class B>
void require_same_shape(const MatrixView<A>& a, const char* a_name, const MatrixView<B>& b,
                        const char* b_name,
                        const SourceLocation& where = SourceLocation::current()) {
  if (a.rows != b.rows || a.cols != b.cols) {
    require(false,
            std::string(a_name) + " is " + shape_text(a) + ", " + b_name + " is " + shape_text(b) +
                "; expected equal shapes",
            where);
  }
  require_matrix(a, a_name, where);
  require_matrix(b, b_name, where);
}

/// Throws std::invalid_argument, naming both shapes, unless `b` has the shape of `a` transposed.
template <class A, class B>
void require_transposed_shape(const MatrixView<A>& a, const char* a_name, const MatrixView<B>& b,
                              const char* b_name,
                              const SourceLocation& where = SourceLocation::current()) {
  if (a.rows != b.cols || a.cols != b.rows) {
    require(false,
            std::string(a_name) + " is " + shape_text(a) + ", " + b_name + " is " + shape_text(b) +
                "; expected " + b_name + " to be " + std::to_string(a.cols) + "x" +
                std::to_string(a.rows),
            where);
  }
  require_matrix(a, a_name, where);
  require_matrix(b, b_name, where);
}

/// Throws std::invalid_argument, naming both lengths, unless they are equal.
template <class A, class B>
void require_same_size(A a, const char* a_name, B b, const char* b_name,
                       const SourceLocation& where = SourceLocation::current()) {
  if (static_cast<long long>(a) == static_cast<long long>(b)) return;
  require(false,
          std::string(a_name) + " has " + std::to_string(a) + " elements, " + b_name + " has " +
              std::to_string(b) + "; expected the same number",
          where);
}

}  // namespace tut
