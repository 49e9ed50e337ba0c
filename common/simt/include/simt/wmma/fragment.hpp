/// @file
/// Fragments: a warp's share of a matrix, so many elements in each lane.
/// Source: CUDA Programming Guide, "Warp Matrix Functions", section "Element Types and Matrix
/// Sizes".
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda::wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};

namespace precision {
/// A float whose last 13 bits the product does not look at.
struct tf32 {};
}  // namespace precision

/// Types of 4 bits and of 1 bit, by name alone: there are no fragments of them here.
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental
template <class... Arguments>
[[gnu::error("products of bits are not supported on the CPU backend")]] void bmma_sync(
    Arguments&&... arguments);

enum layout_t { mem_row_major, mem_col_major };

namespace detail {

template <class T>
struct StoredAs {
  using type = T;
};
template <>
struct StoredAs<precision::tf32> {
  using type = float;
};
template <class T>
using Stored = typename StoredAs<T>::type;

template <class T>
inline constexpr bool is_int8 = std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char>;

/// The shape that is M x N x K: 16x16x16, 32x8x16 or 8x32x16.
constexpr bool is_large_shape(int m, int n, int k) {
  return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
}

/// Is there such a factor (A or B)?
template <class T>
constexpr bool has_factor(int m, int n, int k) {
  if constexpr (std::is_same_v<T, precision::tf32>) return m == 16 && n == 16 && k == 8;
  if constexpr (std::is_same_v<T, double>) return m == 8 && n == 8 && k == 4;
  return (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16> || is_int8<T>)&&  //
      is_large_shape(m, n, k);
}

template <class T>
constexpr bool has_accumulator(int m, int n, int k) {
  if constexpr (std::is_same_v<T, double>) return m == 8 && n == 8 && k == 4;
  if constexpr (std::is_same_v<T, float>) {
    return is_large_shape(m, n, k) || (m == 16 && n == 16 && k == 8);
  }
  return (std::is_same_v<T, __half> || std::is_same_v<T, int>)&&is_large_shape(m, n, k);
}

template <class Use, class T>
constexpr bool is_supported(int m, int n, int k) {
  return std::is_same_v<Use, accumulator> ? has_accumulator<T>(m, n, k) : has_factor<T>(m, n, k);
}

template <class Use>
constexpr int rows(int m, int k) {
  return std::is_same_v<Use, matrix_b> ? k : m;
}
template <class Use>
constexpr int columns(int n, int k) {
  return std::is_same_v<Use, matrix_a> ? k : n;
}

/// How many elements a lane holds. Of half every factor has 16, so that some are held twice or
/// more.
template <class Use, class T>
constexpr int elements(int m, int n, int k) {
  if constexpr (std::is_same_v<T, __half> && !std::is_same_v<Use, accumulator>) return 16;
  return rows<Use>(m, k) * columns<Use>(n, k) / 32;
}

/// A number for each kind of fragment: their layouts differ.
template <class Use, class T, class Layout>
constexpr unsigned kind(int m, int n, int k) {
  unsigned number = std::is_same_v<Use, matrix_a> ? 1 : std::is_same_v<Use, matrix_b> ? 2 : 3;
  number = number * 4 + (std::is_same_v<Layout, row_major>   ? 1
                         : std::is_same_v<Layout, col_major> ? 2
                                                             : 3);
  number = number * 64 + static_cast<unsigned>(m);
  number = number * 64 + static_cast<unsigned>(n);
  number = number * 64 + static_cast<unsigned>(k);
  return number * 16 + static_cast<unsigned>(sizeof(Stored<T>)) +
         (std::is_same_v<T, __nv_bfloat16> || std::is_unsigned_v<T> ? 8u : 0u);
}

}  // namespace detail

/// One lane's part. Which elements it holds is not specified, as on a GPU, and differs between
/// kinds of fragments; `x[i]` of two fragments of one kind belong to the same element.
template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  static_assert(detail::is_supported<Use, T>(m, n, k),
                "the CPU backend has no WMMA fragment of this shape and type: they are half, bf16 "
                "and int8 in 16x16x16, 32x8x16 and 8x32x16, tf32 in 16x16x8, double in 8x8x4");
  static_assert(std::is_same_v<Use, accumulator> == std::is_void_v<Layout>,
                "matrix_a and matrix_b are row_major or col_major, an accumulator is neither");

 public:
  using element_type = T;
  using storage_element_type = detail::Stored<T>;
  static constexpr int num_elements = detail::elements<Use, T>(m, n, k);
  static constexpr int num_storage_elements = num_elements;

  storage_element_type x[num_elements];
};

}  // namespace nvcuda::wmma
