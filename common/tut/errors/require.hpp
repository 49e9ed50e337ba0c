#pragma once

#include <cstdint>
#include <string>

#include "tut/errors/message.hpp"
#include "tut/errors/source_location.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut {

/// Throws std::invalid_argument with the message and the place of the call unless `condition`
/// holds: require(rows > 0, {"there are ", rows, " rows; expected at least 1"}).
inline void require(bool condition, Message message,
                    const SourceLocation& where = SourceLocation::current()) {
  if (!condition) throw_invalid(message, where);
}
inline void require(bool condition, const char* message,
                    const SourceLocation& where = SourceLocation::current()) {
  if (!condition) throw_invalid({message}, where);
}

/// The shape of a view, for a message: 64x48 for 64 rows and 48 columns.
template <class T>
constexpr ShapePart shape_part(const MatrixView<T>& view) {
  return {2, {view.rows, view.cols}};
}

/// "64x48" for a view of 64 rows and 48 columns.
template <class T>
std::string shape_text(const MatrixView<T>& view) {
  return text_of({shape_part(view)});
}

/// What require_matrix says of a view that is not valid.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_invalid_matrix(
    const ShapePart& shape, std::int64_t stride, const char* name, const SourceLocation& where) {
  if (shape.sizes[0] <= 0 || shape.sizes[1] <= 0) {
    throw_invalid({name, " is ", shape, "; expected at least 1x1"}, where);
  }
  if (stride < shape.sizes[1]) {
    throw_invalid({name, " is ", shape, " with stride ", stride, "; expected a stride of at least ",
                   shape.sizes[1]},
                  where);
  }
  throw_invalid({name, " is ", shape, " with no data (a null pointer)"}, where);
}

/// Throws std::invalid_argument unless the view has at least one row and column, a stride that is
/// not below its columns, and data.
template <class T>
void require_matrix(const MatrixView<T>& view, const char* name,
                    const SourceLocation& where = SourceLocation::current()) {
  if (view.rows > 0 && view.cols > 0 && view.stride >= view.cols && view.data != nullptr) return;
  throw_invalid_matrix(shape_part(view), view.stride, name, where);
}

/// Throws std::invalid_argument, naming all three shapes, unless A is (M, K), B (K, N), C (M, N),
/// none is empty, and each is a valid view.
template <class A, class B, class C>
void require_matmul_shapes(const MatrixView<A>& a, const MatrixView<B>& b, const MatrixView<C>& c,
                           const SourceLocation& where = SourceLocation::current()) {
  if (a.cols != b.rows || c.rows != a.rows || c.cols != b.cols) {
    throw_invalid({"matmul shapes do not fit: A is ", shape_part(a), ", B is ", shape_part(b),
                   ", C is ", shape_part(c), "; expected (M, K) x (K, N) = (M, N)"},
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
    throw_invalid({a_name, " is ", shape_part(a), ", ", b_name, " is ", shape_part(b),
                   "; expected equal shapes"},
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
    throw_invalid({a_name, " is ", shape_part(a), ", ", b_name, " is ", shape_part(b),
                   "; expected ", b_name, " to be ", ShapePart{2, {a.cols, a.rows}}},
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
  throw_invalid(
      {a_name, " has ", a, " elements, ", b_name, " has ", b, "; expected the same number"}, where);
}

}  // namespace tut
