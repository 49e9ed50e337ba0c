/// @file
/// How a matrix is put together of what the lanes of a warp hold of it, and dealt out to them.
#ifndef SIMT_WMMA_EXCHANGE_HPP
#define SIMT_WMMA_EXCHANGE_HPP

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/wmma/fragment.hpp"
#include "simt/wmma/runtime.hpp"

namespace nvcuda::wmma::detail {

template <class Fragment>
struct Traits;

template <class Use, int m, int n, int k, class T, class Order>
struct Traits<fragment<Use, m, n, k, T, Order>> {
  using Element = T;
  using Storage = Stored<T>;
  using Layout = Order;
  static constexpr int kRows = rows<Use>(m, k);
  static constexpr int kColumns = columns<Use>(n, k);
  static constexpr int kSize = kRows * kColumns;
  static constexpr int kCount = elements<Use, T>(m, n, k);
  static constexpr bool kFactor = !std::is_same_v<Use, accumulator>;
  /// Of a factor: whether its rows, or else its columns, run along k.
  template <bool kByRows>
  static constexpr bool kAlongK = std::is_same_v<Use, matrix_a> == kByRows;

  static const simt::wmma::Layout& layout() {
    static const simt::wmma::Layout drawn =
        simt::wmma::draw_layout(kind<Use, T, Order>(m, n, k), kSize, kCount, simt::wmma::seed());
    return drawn;
  }
};

/// How a lane's part of a matrix, as words in one vector, changes places between the matrix and the
/// fragment: to[i] = from[i ^ flip].
template <class Own>
class Flip {
 public:
  explicit Flip(unsigned flip)
      : half_((flip & kInWord / 2) != 0 ? 16 : 0), byte_(kInWord == 4 && (flip & 1) != 0) {
    for (int i = 0; i < kCount; ++i) places_[i] = static_cast<Word>(i) ^ flip / kInWord;
  }

  void copy(const void* from, void* to) const {
    Words words;
    std::memcpy(&words, from, kBytes);
#if __has_builtin(__builtin_shuffle)
    words = __builtin_shuffle(words, places_);
#else
    const Words unflipped = words;
    for (int i = 0; i < kCount; ++i) words[i] = unflipped[places_[i]];
#endif
    if constexpr (kInWord > 1) words = words << half_ | words >> 16 >> (16 - half_);
    if constexpr (kInWord == 4) {
      if (byte_) words = (words & 0x00FF00FFu) << 8 | (words >> 8 & 0x00FF00FFu);
    }
    std::memcpy(to, &words, kBytes);
  }

 private:
  static constexpr int kBytes = Own::kCount * sizeof(typename Own::Storage);
  using Word = std::conditional_t<sizeof(typename Own::Storage) == 8, std::uint64_t, std::uint32_t>;
  using Words [[gnu::vector_size(kBytes)]] = Word;
  static constexpr unsigned kInWord = sizeof(Word) / sizeof(typename Own::Storage);
  static constexpr int kCount = kBytes / static_cast<int>(sizeof(Word));

  Words places_;
  unsigned half_;  ///< by how much the halves of each word change places
  bool byte_;      ///< whether the bytes of each half do
};

/// Finds all addresses before anything is copied, many at a time: a copy might change, for all that
/// the compiler knows, what part(lane) looks at.
template <class Part, class Address>
[[gnu::always_inline]] inline void find_parts(const Part& part, Address (&held)[32]) {
#pragma omp simd
  for (int lane = 0; lane < 32; ++lane) held[lane] = part(lane);
}

/// What the lanes of a warp hold, one part behind the other.
template <class Fragment>
struct InRow {
  Fragment lanes[32];

  template <class Part>
  explicit InRow(const Part& part) {
    for (int lane = 0; lane < 32; ++lane) lanes[lane] = *static_cast<const Fragment*>(part(lane));
  }
  template <class Part>
  void give_back(const Part& part) const {
    for (int lane = 0; lane < 32; ++lane) *static_cast<Fragment*>(part(lane)) = lanes[lane];
  }
  simt::wmma::EvenParts parts() {
    return {&Traits<Fragment>::layout(), reinterpret_cast<std::byte*>(lanes), sizeof(Fragment)};
  }
};

/// Puts together a matrix of what the lanes hold of it; `part(lane)` is a lane's fragment. Of lanes
/// that hold the same, the last one counts.
template <class Fragment, class Part>
void gather(typename Traits<Fragment>::Storage* matrix, Part part) {
  using Own = Traits<Fragment>;
  const simt::wmma::Layout& layout = Own::layout();
  const Flip<Own> flip(layout.flip);
  constexpr int kChunks = Own::kSize / Own::kCount;
  const void* held[32];
  find_parts(part, held);
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    const auto* x = static_cast<const Fragment*>(held[layout.holder[chunk]])->x;
    flip.copy(x, matrix + chunk * Own::kCount);
  }
}

template <class Fragment, class Part>
void scatter(const typename Traits<Fragment>::Storage* matrix, Part part) {
  using Own = Traits<Fragment>;
  const simt::wmma::Layout& layout = Own::layout();
  const Flip<Own> flip(layout.flip);
  void* held[32];
  find_parts(part, held);
  for (int lane = 0; lane < 32; ++lane) {
    auto* x = static_cast<Fragment*>(held[lane])->x;
    flip.copy(matrix + layout.chunk[lane] * Own::kCount, x);
  }
}

}  // namespace nvcuda::wmma::detail

#endif
