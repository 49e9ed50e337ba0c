/// @file
/// What a thread adds to the sums in its registers, `sums[i][j] += a[i] * b[j]`, as vectors. The
/// rewriter puts a call in front of such loops; g++ would make of them one product after another,
/// or vectors that it gathers element by element.
#ifndef SIMT_PRODUCTS_HPP
#define SIMT_PRODUCTS_HPP

#include <cstdint>
#include <type_traits>
#include <utility>

namespace simt {

/// Something in the loops is not of a known type: the loops run as they are written.
struct NoProducts {};

namespace detail {

template <class T>
inline constexpr bool kIsProductIndex = std::is_integral_v<T>&& std::is_signed_v<T> &&
                                        !std::is_volatile_v<T> && sizeof(T) >= sizeof(int);

/// Is it an array of `float` with so many indices?
template <class Array, int kRank>
inline constexpr bool kIsFloatArray =
    std::is_same_v<std::remove_const_t<std::remove_all_extents_t<Array>>, float>&&
        std::rank_v<Array> == kRank;

/// So many neighbours in memory, wherever they begin.
template <int kFloats>
struct FloatVector {
  typedef float type __attribute__((vector_size(kFloats * sizeof(float)), aligned(4), may_alias));
};
template <int kFloats>
using float_vector_t = typename FloatVector<kFloats>::type;

/// A vector with room for kCount elements.
template <int kCount>
using some_vector_t = float_vector_t<kCount <= 4 ? 4 : 8>;

/// kCount elements of a local array that was just filled, one by one: a processor waits where a
/// load overlaps several stores before it, and the compiler reads the elements where they came
/// from.
template <int kCount>
[[gnu::always_inline]] inline void gather_some(some_vector_t<kCount>& to, const float* from) {
  to = some_vector_t<kCount>{};
#pragma GCC unroll 8
  for (int i = 0; i < kCount; ++i) to[i] = from[i];
}

/// How many elements a vector has: each of `factors` is multiplied with `rows` rows of `length`
/// elements, whole fours.
constexpr int product_width([[maybe_unused]] int factors, [[maybe_unused]] int rows,
                            [[maybe_unused]] int length) {
#ifdef __AVX512F__
  if (length % 16 == 0) return 16;
#endif
#ifdef __AVX__
  if (rows * length % 8 == 0 || (rows * length == 4 && factors % 4 == 0)) return 8;
#endif
  return 4;
}

/// Elements [at, at + kWidth) of what the factors are multiplied with: kRows rows of kLength
/// elements, one after another.
template <int kWidth, int kLength, int kRows>
[[gnu::always_inline]] inline void load_rows(float_vector_t<kWidth>& to,
                                             const float* const (&rows)[kRows], int at) {
  using Four = float_vector_t<4>;
  const auto part = [&](int first) __attribute__((always_inline)) {
    first %= kRows * kLength;
    return rows[first / kLength] + first % kLength;
  };
  if constexpr (kLength % kWidth == 0) {
    to = *reinterpret_cast<const float_vector_t<kWidth>*>(part(at));
  } else {
    static_assert(kWidth == 8);
    Four low, high;
    gather_some<4>(low, part(at));
    gather_some<4>(high, part(at + 4));
    to = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  }
}

/// The factors of elements [at, at + kWidth) of sums, each of kPeriod neighbours.
template <int kWidth, int kPeriod>
[[gnu::always_inline]] inline void load_factors(float_vector_t<kWidth>& to, const float* factors,
                                                int at) {
  if constexpr (kPeriod % kWidth == 0) {
    to = factors[at / kPeriod] - float_vector_t<kWidth>{};
  } else {
    static_assert(kWidth == 8 && kPeriod == 4);
    using Four = float_vector_t<4>;
    Four four;
    gather_some<4>(four, factors + at / 16 * 4);
    to = at % 16 == 0 ? __builtin_shufflevector(four, four, 0, 0, 0, 0, 1, 1, 1, 1)
                      : __builtin_shufflevector(four, four, 2, 2, 2, 2, 3, 3, 3, 3);
  }
}

/// sums[i][k][j] += factors[i] * rows[k][j]
template <int kFactors, int kLength, int kRows>
[[gnu::always_inline]] inline void add_products(float* sums, const float* factors,
                                                const float* const (&rows)[kRows]) {
  constexpr int kPeriod = kRows * kLength;
  constexpr int kWidth = product_width(kFactors, kRows, kLength);
  using Vector = float_vector_t<kWidth>;
#pragma GCC unroll 64
  for (int at = 0; at < kFactors * kPeriod; at += kWidth) {
    Vector row, factor;
    load_rows<kWidth, kLength>(row, rows, at);
    load_factors<kWidth, kPeriod>(factor, factors, at);
    // One expression, which compilers contract as they do that of the source.
    *reinterpret_cast<Vector*>(sums + at) += factor * row;
  }
}

}  // namespace detail

/// An index of a row: the sum of its parts.
template <class... Parts>
[[gnu::always_inline]] constexpr auto product_index(const Parts&... parts) {
  if constexpr ((detail::kIsProductIndex<Parts> && ...)) {
    return (parts + ... + 0);
  } else {
    return NoProducts();
  }
}

/// Where a row begins: the place of `array[index]...`.
template <class Array, class... Indices>
[[gnu::always_inline]] inline auto product_row(const Array& array, const Indices&... indices) {
  constexpr int kIndices = sizeof...(Indices);
  if constexpr (!detail::kIsFloatArray<Array, kIndices> ||
                !(detail::kIsProductIndex<Indices> && ...)) {
    return NoProducts();
  } else if constexpr (kIndices == 1) {
    return static_cast<const float*>(array) + (indices, ...);
  } else {
    static_assert(kIndices == 2, "the rewriter knows no other");
    const auto place = [&](auto i, auto j) __attribute__((always_inline)) {
      return static_cast<const float*>(array[i]) + j;
    };
    return place(indices...);
  }
}

/// `for (i < outer) for (j < inner) { sums[i][0][j] += factors[i] * rows[0][j]; ... }`, or with
/// sums[i][j], if all is of known types and the loops go over all of the sums; otherwise nothing
/// happens, and the answer is false. The sums are an array of their own, and loops whose sums,
/// factors and rows do not overlap have no order.
template <class Outer, class Inner, class Sums, class Factors, class... Rows>
[[gnu::always_inline]] inline bool added_products([[maybe_unused]] const Outer& outer,
                                                  [[maybe_unused]] const Inner& inner,
                                                  [[maybe_unused]] Sums& sums,
                                                  [[maybe_unused]] const Factors& factors,
                                                  [[maybe_unused]] const Rows&... rows) {
  constexpr int kRows = sizeof...(Rows), kRank = kRows == 1 && std::rank_v<Sums> == 2 ? 2 : 3;
  if constexpr (std::is_const_v<std::remove_all_extents_t<Sums>> ||
                !detail::kIsFloatArray<Sums, kRank> || !std::is_same_v<Factors, const float*> ||
                !detail::kIsProductIndex<Outer> || !detail::kIsProductIndex<Inner> ||
                !(std::is_same_v<Rows, const float*> && ...)) {
    return false;
  } else {
    constexpr int kFactors = std::extent_v<Sums>, kLength = std::extent_v<Sums, kRank - 1>;
    constexpr bool kFits = (kRank == 2 || std::extent_v<Sums, 1> == kRows) && kLength % 4 == 0 &&
                           kFactors * kRows * kLength <= 256;
    if constexpr (!kFits) {
      return false;
    } else {
      if (outer != kFactors || inner != kLength) return false;
      const float* const places[kRows] = {rows...};
      detail::add_products<kFactors, kLength>(reinterpret_cast<float*>(&sums), factors, places);
      return true;
    }
  }
}

/// A factor and the row that it is multiplied with.
struct RowTerm {
  float factor;
  const float* row;
};

namespace detail {

template <class T>
inline constexpr bool kIsRowTerm = std::is_same_v<T, RowTerm>;

/// kCount elements, the first of a vector of four or eight; the others are 0.
template <int kCount>
[[gnu::always_inline]] inline void load_some(some_vector_t<kCount>& to, const float* from) {
  if constexpr (kCount > 4) {
    float_vector_t<4> low, high;
    load_some<4>(low, from);
    load_some<kCount - 4>(high, from + 4);
    to = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  } else if constexpr (kCount == 4) {
    to = *reinterpret_cast<const float_vector_t<4>*>(from);
  } else {
    to = float_vector_t<4>{};
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) to[i] = from[i];
  }
}

template <int kCount>
[[gnu::always_inline]] inline void store_some(float* to, const float_vector_t<4>& from) {
  if constexpr (kCount == 4) {
    *reinterpret_cast<float_vector_t<4>*>(to) = from;
  } else {
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) to[i] = from[i];
  }
}
template <int kCount>
[[gnu::always_inline]] inline void store_some(float* to, const float_vector_t<8>& from) {
  store_some<4>(to, __builtin_shufflevector(from, from, 0, 1, 2, 3));
  store_some<kCount - 4>(to + 4, __builtin_shufflevector(from, from, 4, 5, 6, 7));
}

}  // namespace detail

/// A term of `added_rows`. Value and Factor are the types of a variable and of the number in it
/// that is the factor: what is a reference may refer to one of the sums.
template <class Value, class Factor, class Row>
[[gnu::always_inline]] inline auto row_term(const Factor& factor, const Row& row) {
  constexpr bool kIsOwn = !std::is_reference_v<Value> && !std::is_volatile_v<Value>;
  if constexpr (kIsOwn && std::is_same_v<std::remove_const_t<Factor>, float> &&
                std::is_same_v<Row, const float*>) {
    return RowTerm{factor, row};
  } else {
    return NoProducts();
  }
}

/// `for (j < count) { sums[j] += terms[0].factor * terms[0].row[j]; ... }`, if all is of known
/// types and the loop goes over all of the sums; otherwise nothing happens, and the answer is
/// false. The sums overlap no row.
template <class Count, class Sums, class... Terms>
[[gnu::always_inline]] inline bool added_rows([[maybe_unused]] const Count& count,
                                              [[maybe_unused]] Sums& sums,
                                              [[maybe_unused]] const Terms&... terms) {
  if constexpr (!std::is_same_v<std::remove_extent_t<Sums>, float> ||
                !detail::kIsProductIndex<Count> || !(detail::kIsRowTerm<Terms> && ...)) {
    return false;
  } else {
    constexpr int kCount = std::extent_v<Sums>;
    if constexpr (kCount < 2 || kCount > 8) {
      return false;
    } else {
      if (count != kCount) return false;
      detail::some_vector_t<kCount> vector, row;
      detail::load_some<kCount>(vector, sums);
      ((detail::gather_some<kCount>(row, terms.row), vector += terms.factor * row), ...);
      detail::store_some<kCount>(sums, vector);
      return true;
    }
  }
}

/// `condition ? a : b` for a number and a literal, or the other way round. g++ makes a jump of it,
/// which a processor cannot foretell where threads decide differently; a GPU's threads select.
template <class A, class B>
[[gnu::always_inline]] constexpr auto selected(bool condition, const A& a, const B& b) {
  constexpr bool kSelects =
      std::is_same_v<A, B> && (std::is_same_v<A, float> || std::is_same_v<A, int>);
  if constexpr (kSelects) {
    if (!std::is_constant_evaluated()) {
      const std::uint32_t mask = -static_cast<std::uint32_t>(condition);
      const std::uint32_t bits = (__builtin_bit_cast(std::uint32_t, a) & mask) |
                                 (__builtin_bit_cast(std::uint32_t, b) & ~mask);
      return __builtin_bit_cast(A, bits);
    }
  }
  return condition ? a : b;
}

/// A flag or number, or a sum of them: the one that is not selected may be too large for an int.
template <class T>
[[gnu::always_inline]] constexpr auto whole_sum(const T& term) {
  return term;
}
template <class... Terms>
[[gnu::always_inline]] constexpr auto whole_sum(const Terms&... terms) {
  constexpr bool kWhole = ((std::is_same_v<Terms, bool> || std::is_same_v<Terms, int>)&&...);
  if constexpr (kWhole) {
    return static_cast<int>((static_cast<unsigned>(terms) + ...));
  } else {
    return (terms + ...);
  }
}

}  // namespace simt

#endif
