// The inner loop of products of small matrices, for files that are compiled for this very
// processor. What is in here is each file's own: an inline function might be taken by the linker
// for other parts of the program.
#pragma once

namespace simt {
namespace {

// The bytes of this processor's vector registers. Of longer vectors g++ makes copies in memory.
#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

// c += a * b, row by row; each sum is rounded in turn, k rising. A few rows of c at a time, in
// eight registers: as many sums as multiply-adds are under way.
template <class T, int kM, int kN, int kK>
void multiply_rows(const T* a, const T* b, T* c) {
  constexpr int kRowBytes = kN * static_cast<int>(sizeof(T));
  constexpr int kBytes = kRowBytes < kVectorBytes ? kRowBytes : kVectorBytes;
  constexpr int kVectors = kRowBytes / kBytes;
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  constexpr int kRows = 8 / kVectors;
  static_assert(kM % kRows == 0);
  using Vector [[gnu::vector_size(kBytes)]] = T;
  for (int first = 0; first < kM; first += kRows) {
    Vector sums[kRows][kVectors];
    for (int row = 0; row < kRows; ++row) {
      for (int v = 0; v < kVectors; ++v) {
        __builtin_memcpy(&sums[row][v], c + (first + row) * kN + v * kLanes, kBytes);
      }
    }
    for (int i = 0; i < kK; ++i) {
      for (int v = 0; v < kVectors; ++v) {
        Vector others;
        __builtin_memcpy(&others, b + i * kN + v * kLanes, kBytes);
        for (int row = 0; row < kRows; ++row) sums[row][v] += others * a[(first + row) * kK + i];
      }
    }
    for (int row = 0; row < kRows; ++row) {
      for (int v = 0; v < kVectors; ++v) {
        __builtin_memcpy(c + (first + row) * kN + v * kLanes, &sums[row][v], kBytes);
      }
    }
  }
}

[[maybe_unused]] int saturated(long long value) {
  constexpr long long kLeast = -2147483648LL;
  constexpr long long kMost = 2147483647LL;
  return static_cast<int>(value < kLeast ? kLeast : value > kMost ? kMost : value);
}

}  // namespace
}  // namespace simt
