#pragma once

#include <cstdint>
#include <cstring>

namespace tut::ch02 {

//! [tile]
/// The shape of a register tile: `Rows` rows of C by `Vectors` vectors of `Lanes` floats each.
///
/// Rows * Vectors accumulators, Vectors of B and one element of A must fit the vector registers:
/// 16 of them with SSE and AVX2, 32 with AVX-512. Rows * Vectors also has to cover the latency of
/// the multiply-adds: 4 cycles times one or two a cycle, so at least 8.
template <int Rows, int Vectors, int Lanes>
struct Tile {
  static constexpr int rows = Rows;
  static constexpr int vectors = Vectors;
  static constexpr int lanes = Lanes;
  static constexpr int cols = Vectors * Lanes;
  /// `Lanes` floats in one register; + and * work on all lanes at once.
  typedef float Vector __attribute__((vector_size(Lanes * sizeof(float))));

  static_assert(Rows >= 4, "A is packed in blocks of 4x4");
  static_assert(Rows * Vectors >= 8, "fewer accumulators leave the multiply-add units waiting");
};
//! [tile]

/// Whole vectors to and from any address.
template <class Vector>
[[gnu::always_inline]] inline Vector load(const float* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class Vector>
[[gnu::always_inline]] inline void store(float* to, const Vector& value) {
  std::memcpy(to, &value, sizeof value);
}

/// What a tile does with the values C holds.
enum class Output { overwrite, add };

//! [micro-kernel]
/// C (T::rows, T::cols) = or += A panel (depth, T::rows) transposed, times B panel (depth,
/// T::cols).
template <class T>
[[gnu::always_inline]] inline void multiply_full_tile(int depth, const float* a_panel,
                                                      const float* b_panel, float* c,
                                                      std::int64_t stride, Output output) {
  using Vector = typename T::Vector;

  // Ask for C now: it is needed only after the loop.
#pragma GCC unroll 16
  for (int i = 0; i < T::rows; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < T::cols; j += 16) __builtin_prefetch(&c[i * stride + j], 1);
  }

  Vector sum[T::rows][T::vectors] = {};  // every element in a register
#pragma GCC unroll 4
  for (int k = 0; k < depth; ++k) {
    Vector b[T::vectors];
#pragma GCC unroll 16
    for (int j = 0; j < T::vectors; ++j) b[j] = load<Vector>(&b_panel[j * T::lanes]);
#pragma GCC unroll 16
    for (int i = 0; i < T::rows; ++i) {
#pragma GCC unroll 16
      for (int j = 0; j < T::vectors; ++j) sum[i][j] += a_panel[i] * b[j];
    }
    a_panel += T::rows;
    b_panel += T::cols;
  }

#pragma GCC unroll 16
  for (int i = 0; i < T::rows; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < T::vectors; ++j) {
      float* to = &c[i * stride + j * T::lanes];
      store<Vector>(to, output == Output::add ? load<Vector>(to) + sum[i][j] : sum[i][j]);
    }
  }
}
//! [micro-kernel]

//! [edge]
/// The same for the part of a tile that lies in C: rows x cols, at most T::rows x T::cols. The
/// panels are padded with zeros, so the whole tile is multiplied into a buffer, and the part that
/// exists is kept.
///
/// Pointer and sizes are scalars, not a view: that struct was copied through memory, in pieces, and
/// every tile waited for it.
template <class T>
[[gnu::always_inline]] inline void multiply_tile(int depth, const float* a_panel,
                                                 const float* b_panel, float* c,
                                                 std::int64_t stride, int rows, int cols,
                                                 Output output) {
  if (rows == T::rows && cols == T::cols) {
    multiply_full_tile<T>(depth, a_panel, b_panel, c, stride, output);
    return;
  }
  alignas(64) float whole[T::rows * T::cols];
  multiply_full_tile<T>(depth, a_panel, b_panel, whole, T::cols, Output::overwrite);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      float& element = c[i * stride + j];
      element = whole[i * T::cols + j] + (output == Output::add ? element : 0.0f);
    }
  }
}
//! [edge]

}  // namespace tut::ch02
