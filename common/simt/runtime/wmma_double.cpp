// Products of WMMA's fragments of double, compiled for this very processor. Only plain loops: an
// inline function of a header, compiled here, might be taken by the linker for other parts of the
// program.
#include "matrix_rows.hpp"
#include "simt/wmma/runtime.hpp"

namespace simt::wmma {

namespace {

constexpr int kM = 8, kN = 8, kK = 4, kLanes = 32;

// A row of a sum is so many vectors, each made of pairs of neighbours: a pair is what a lane holds.
using Vector [[gnu::vector_size(kVectorBytes)]] = double;
using Pair [[gnu::vector_size(16)]] = double;
using TwoPairs [[gnu::vector_size(32)]] = double;
constexpr int kPairs = kVectorBytes / static_cast<int>(sizeof(Pair));
constexpr int kVectors = kN / 2 / kPairs;
constexpr int kRows = 8 / kVectors;  // as many sums at a time as multiply-adds are under way

// Where each chunk of a warp's matrix lies, from the first lane's fragment on.
struct Offsets {
  alignas(64) unsigned bytes[kLanes];

  explicit Offsets(const EvenParts& parts) {
    for (int i = 0; i < kLanes; ++i) bytes[i] = parts.layout->holder[i] * parts.distance;
  }
};

const double* element(const std::byte* first, const Offsets& offsets, int chunk) {
  return reinterpret_cast<const double*>(first + offsets.bytes[chunk]);
}

// A vector of pair(0), pair(1) and so on.
template <class V, class PairAt>
[[gnu::always_inline]] inline void join(V& vector, const PairAt& pair) {
  if constexpr (kPairs == 1) {
    vector = pair(0);
  } else if constexpr (kPairs == 2) {
    vector = __builtin_shufflevector(pair(0), pair(1), 0, 1, 2, 3);
  } else {
    const TwoPairs low = __builtin_shufflevector(pair(0), pair(1), 0, 1, 2, 3);
    const TwoPairs high = __builtin_shufflevector(pair(2), pair(3), 0, 1, 2, 3);
    vector = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  }
}

// The other way round: pair(0, P0), pair(1, P1) and so on.
template <class V, class PairTo>
[[gnu::always_inline]] inline void take_apart(const V& vector, const PairTo& pair) {
  if constexpr (kPairs == 1) {
    pair(0, vector);
  } else {
    pair(0, __builtin_shufflevector(vector, vector, 0, 1));
    pair(1, __builtin_shufflevector(vector, vector, 2, 3));
  }
  if constexpr (kPairs == 4) {
    pair(2, __builtin_shufflevector(vector, vector, 4, 5));
    pair(3, __builtin_shufflevector(vector, vector, 6, 7));
  }
}

// The four fragments of a warp.
struct Warp {
  const std::byte *a, *b, *c;
  std::byte* d;
};
struct Places {
  Offsets a, b, c, d;
};

// The two elements of a sum that a lane holds may have changed places: then its columns stand so
// during the product, and those of B with them.
template <int kFlip>
[[gnu::always_inline]] inline void multiply_warp(const Warp& warp, const Places& at) {
  Vector others[kK][kVectors];
  for (int k = 0; k < kK; ++k) {
    for (int v = 0; v < kVectors; ++v) {
      join(others[k][v], [&](int i) {
        const int first = k * kN + (v * kPairs + i) * 2;
        return Pair{*element(warp.b, at.b, first + kFlip),
                    *element(warp.b, at.b, first + (1 - kFlip))};
      });
    }
  }
  for (int first = 0; first < kM; first += kRows) {
    Vector sums[kRows][kVectors];
    for (int row = 0; row < kRows; ++row) {
      for (int v = 0; v < kVectors; ++v) {
        const int chunk = (first + row) * kN / 2 + v * kPairs;
        join(sums[row][v], [&](int i) {
          Pair pair;
          __builtin_memcpy(&pair, warp.c + at.c.bytes[chunk + i], sizeof(pair));
          return pair;
        });
      }
    }
    for (int k = 0; k < kK; ++k) {
      for (int row = 0; row < kRows; ++row) {
        const double factor = *element(warp.a, at.a, (first + row) * kK + k);
        for (int v = 0; v < kVectors; ++v) sums[row][v] += others[k][v] * factor;
      }
    }
    for (int row = 0; row < kRows; ++row) {
      for (int v = 0; v < kVectors; ++v) {
        const int chunk = (first + row) * kN / 2 + v * kPairs;
        take_apart(sums[row][v], [&](int i, const Pair& pair) {
          __builtin_memcpy(warp.d + at.d.bytes[chunk + i], &pair, sizeof(pair));
        });
      }
    }
  }
}

template <int kFirst, int kSecond>
void load_lines(const EvenParts& to, const std::byte* from, std::uint64_t line_bytes,
                std::uint64_t step) {
  const Offsets at(to);
  for (int i = 0; i < kFirst; ++i) {
    for (int j = 0; j < kSecond; ++j) {
      __builtin_memcpy(
          to.first + at.bytes[i * kSecond + j],
          from + static_cast<unsigned>(i) * line_bytes + static_cast<unsigned>(j) * step,
          sizeof(double));
    }
  }
}

}  // namespace

void multiply_add(const EvenParts& a, const EvenParts& b, const EvenParts& c, const EvenParts& d,
                  unsigned warps) {
  const Places at{Offsets(a), Offsets(b), Offsets(c), Offsets(d)};
  Warp warp{a.first, b.first, c.first, d.first};
  const bool flip = c.layout->flip != 0;
  for (unsigned i = 0; i < warps; ++i) {
    tell_product();
    flip ? multiply_warp<1>(warp, at) : multiply_warp<0>(warp, at);
    warp.a += kLanes * a.distance;
    warp.b += kLanes * b.distance;
    warp.c += kLanes * c.distance;
    warp.d += kLanes * d.distance;
  }
}

void load_factor(const EvenParts& to, const std::byte* from, std::uint64_t line_bytes, int lines,
                 bool by_rows) {
  constexpr std::uint64_t kElement = sizeof(double);
  // A has eight rows and B four.
  if ((lines == kM) == by_rows) {
    by_rows ? load_lines<kM, kK>(to, from, line_bytes, kElement)
            : load_lines<kM, kK>(to, from, kElement, line_bytes);
  } else {
    by_rows ? load_lines<kK, kN>(to, from, line_bytes, kElement)
            : load_lines<kK, kN>(to, from, kElement, line_bytes);
  }
}

}  // namespace simt::wmma
