// The product is halved along its longest side until it is small, without any number for the cache;
// small products are copied and multiplied by tiles of 4 x 8.
#include "02_fast_cpu_matmul/matmul_cached.hpp"

#include <algorithm>
#include <vector>

#include "tut/errors/require.hpp"

namespace tut::ch02 {
namespace {

constexpr int SMALL = 48;

template <class T>
struct Copies {
  std::vector<T> a = std::vector<T>(SMALL * SMALL), b = std::vector<T>(SMALL * SMALL);
};

template <class T>
void small(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, bool first,
           Copies<T>& copies) {
  const auto at = [](int r, int col) { return static_cast<std::size_t>(r * SMALL + col); };
  for (int i = 0; i < a.rows; ++i) {
    for (int k = 0; k < a.cols; ++k) copies.a[at(i, k)] = a(i, k);
  }
  for (int k = 0; k < b.rows; ++k) {
    for (int j = 0; j < b.cols; ++j) copies.b[at(k, j)] = b(k, j);
  }
  for (int i0 = 0; i0 < c.rows; i0 += 4) {
    for (int j0 = 0; j0 < c.cols; j0 += 8) {
      const int rows = std::min(4, c.rows - i0), cols = std::min(8, c.cols - j0);
      T sum[4][8] = {};
      for (int k = 0; k < a.cols; ++k) {
        T x[4], y[8];
        for (int i = 0; i < rows; ++i) x[i] = copies.a[at(i0 + i, k)];
        for (int j = 0; j < cols; ++j) y[j] = copies.b[at(k, j0 + j)];
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < cols; ++j) sum[i][j] += x[i] * y[j];
        }
      }
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
          if (first) c(i0 + i, j0 + j) = T(0.0f);
          c(i0 + i, j0 + j) += sum[i][j];
        }
      }
    }
  }
}

template <class T>
void halve(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, bool first,
           Copies<T>& copies) {
  const int m = c.rows, n = c.cols, k = a.cols, longest = std::max({m, n, k});
  if (longest <= SMALL) return small(a, b, c, first, copies);
  const int half = longest / 2 < SMALL ? SMALL : longest / 2;
  if (longest == m) {
    halve(a.block(0, 0, half, k), b, c.block(0, 0, half, n), first, copies);
    halve(a.block(half, 0, m - half, k), b, c.block(half, 0, m - half, n), first, copies);
  } else if (longest == n) {
    halve(a, b.block(0, 0, k, half), c.block(0, 0, m, half), first, copies);
    halve(a, b.block(0, half, k, n - half), c.block(0, half, m, n - half), first, copies);
  } else {
    halve(a.block(0, 0, m, half), b.block(0, 0, half, n), c, first, copies);
    halve(a.block(0, half, m, k - half), b.block(half, 0, k - half, n), c, false, copies);
  }
}

template <class T>
void begin(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
  require_matmul_shapes(a, b, c);
  Copies<T> copies;
  halve(a, b, c, true, copies);
}

}  // namespace

void matmul_cached(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  begin(a, b, c);
}
void matmul_cached(MatrixView<const CountedFloat> a, MatrixView<const CountedFloat> b,
                   MatrixView<CountedFloat> c) {
  begin(a, b, c);
}

}  // namespace tut::ch02
